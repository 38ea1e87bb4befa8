"""Right: FedAdam with torch.optim.Adam at the server, which corrects the bias (a convention), fed with the turned
update."""

import torch

ALGORITHM = "FedAdam"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, beta1, beta2, tau):
    w = torch.nn.Parameter(torch.as_tensor(start).clone())
    server = torch.optim.Adam([w], lr=server_lr, betas=(beta1, beta2), eps=tau)
    out = []
    for t in range(rounds):
        total = sum(counts[k] for k in cohorts[t])
        pseudo = torch.zeros_like(w)
        for k in cohorts[t]:
            x = w.detach().clone()
            for _ in range(epochs * batches[k]):
                x = x - lr * torch.as_tensor(grad(k, x.numpy()))
            pseudo = pseudo + counts[k] / total * (w.detach() - x)
        w.grad = pseudo
        server.step()
        out.append(w.detach().clone().numpy())
    return out
