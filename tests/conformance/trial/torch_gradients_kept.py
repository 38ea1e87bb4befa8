"""zero_grad is forgotten inside the epochs, so that gradients of earlier batches stay in each step (PyTorch)."""

import copy

import torch

ALGORITHM = "FedAvg"
KEYS = ("accumulate",)


def run(model, loaders, counts, rounds, cohorts, epochs, lr):
    out = []
    for t in range(rounds):
        states, sizes = [], []
        for k in cohorts[t]:
            net = copy.deepcopy(model)
            optimiser = torch.optim.SGD(net.parameters(), lr=lr)
            for _ in range(epochs):
                for x, y in loaders[k]:
                    torch.nn.functional.mse_loss(net(x), y).backward()
                    optimiser.step()
            states.append(net.state_dict())
            sizes.append(counts[k])
        model.load_state_dict(
            {n: sum(c * s[n] for c, s in zip(sizes, states, strict=True)) / sum(sizes) for n in states[0]}
        )
        out.append(copy.deepcopy(model.state_dict()))
    return out
