"""Right: FedDyn in the shape of its authors' code: sums of movements per client, whose mean is added to the average."""

import numpy as np

ALGORITHM = "FedDyn"


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    cloud, shifts, out = start.copy(), np.zeros((n_clients, start.size)), []
    for t in range(rounds):
        models = []
        for k in cohorts[t]:
            x = cloud.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + alpha * (x - cloud + shifts[k]))
            shifts[k] += x - cloud
            models.append(x)
        cloud = np.mean(models, axis=0) + shifts.mean(axis=0)
        out.append(cloud)
    return out
