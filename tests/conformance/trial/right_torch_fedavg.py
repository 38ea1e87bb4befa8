"""Right: a PyTorch training loop of FedAvg with loaders and state dictionaries."""

import copy

import torch

ALGORITHM = "FedAvg"


def run(model, loaders, counts, rounds, cohorts, epochs, lr):
    out = []
    for t in range(rounds):
        states, sizes = [], []
        for k in cohorts[t]:
            net = copy.deepcopy(model)
            optimiser = torch.optim.SGD(net.parameters(), lr=lr)
            for _ in range(epochs):
                for x, y in loaders[k]:
                    optimiser.zero_grad()
                    torch.nn.MSELoss()(net(x), y).backward()
                    optimiser.step()
            states.append(net.state_dict())
            sizes.append(counts[k])
        new = {n: sum(c / sum(sizes) * s[n] for c, s in zip(sizes, states, strict=True)) for n in states[0]}
        model.load_state_dict(new)
        out.append(copy.deepcopy(model))
    return out
