"""Right: a PyTorch loop of FedProx with the penalty in the loss."""

import copy

import torch

ALGORITHM = "FedProx"


def run(model, loaders, counts, rounds, cohorts, epochs, lr, mu):
    out = []
    for t in range(rounds):
        states, sizes = [], []
        for k in cohorts[t]:
            net = copy.deepcopy(model)
            optimiser = torch.optim.SGD(net.parameters(), lr=lr)
            for _ in range(epochs):
                for x, y in loaders[k]:
                    optimiser.zero_grad()
                    loss = torch.nn.functional.mse_loss(net(x), y)
                    for p, q in zip(net.parameters(), model.parameters(), strict=True):
                        loss = loss + mu / 2 * (p - q.detach()).pow(2).sum()
                    loss.backward()
                    optimiser.step()
            states.append(net.state_dict())
            sizes.append(counts[k])
        model.load_state_dict(
            {n: sum(c * s[n] for c, s in zip(sizes, states, strict=True)) / sum(sizes) for n in states[0]}
        )
        out.append(copy.deepcopy(model.state_dict()))
    return out
