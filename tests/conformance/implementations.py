"""Implementations that share nothing with the package: loops over clients in plain NumPy, as people write them.

``flaw`` names what is wrong on purpose; empty: as published.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


def fedavg(grad, counts, start, rounds, cohorts, epochs, batches, lr, flaw=""):
    w = np.array(start)
    history = [w]
    for t in range(rounds):
        local, n = [], []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs):
                for _ in range(batches[k]):
                    x -= lr * grad(k, x)
                if flaw == "epoch break":
                    break
            local.append(x)
            n.append(counts[k])
        if flaw == "plain mean":
            w = np.mean(local, axis=0)
        elif flaw == "all clients' counts":
            w = sum(m * x for m, x in zip(n, local, strict=True)) / sum(counts)
        elif flaw == "first twice":
            w = (local[0] + sum(local)) / len(local)
        elif flaw == "no copy":
            x = w.copy()
            for k in cohorts[t]:
                for _ in range(epochs * batches[k]):
                    x -= lr * grad(k, x)
            w = x
        else:
            w = np.average(local, axis=0, weights=n)
        history.append(w)
    return history


def fedprox(grad, weights, start, rounds, cohorts, epochs, batches, lr, mu, flaw=""):
    w, history, before = np.array(start), [], np.array(start)
    for t in range(rounds):
        total, mass = np.zeros_like(w), 0.0
        for k in cohorts[t]:
            x, last = w.copy(), w.copy()
            for _ in range(epochs * batches[k]):
                gap = x - w
                if flaw == "no square":
                    parts = [gap[:3], gap[3:]]
                    pull = mu / 2 * np.concatenate([p / np.linalg.norm(p) if p.any() else 0 * p for p in parts])
                elif flaw == "no half":
                    pull = 2 * mu * gap
                elif flaw == "own iterate":
                    pull = 0 * gap
                elif flaw == "previous iterate":
                    pull = mu * (x - last)
                elif flaw == "old model":
                    pull = mu * (x - before)
                else:
                    pull = mu * gap
                last = x
                x = x - lr * (grad(k, x) + pull)
            total, mass = total + weights[k] * x, mass + weights[k]
        before, w = w, total / mass
        history.append(w)
    return np.array(history)


class Scaffolder:
    """SCAFFOLD with objects that keep their controls, for from_client_server; dictionaries of named layers."""

    def __init__(self, option="II", flaw=""):
        self.option, self.flaw = option, flaw
        self.reset()

    def reset(self):
        self.controls, self.server = {}, {"weight": np.zeros(3), "bias": np.zeros(1)}

    def fit(self, model, client, grad, epochs, batches, eta_l):
        zero = {n: np.zeros_like(v) for n, v in model.items()}
        mine = self.controls.get(client, zero)
        x = {n: v.copy() for n, v in model.items()}
        for _ in range(epochs * batches):
            g = grad(x)
            for n in x:
                sign = -1 if self.flaw == "sign" else 1
                x[n] = x[n] - eta_l * (g[n] + sign * (self.server[n] - mine[n]))
        steps = epochs if self.flaw == "epochs" else epochs * batches
        if self.option == "I":
            new = grad(model)
        else:
            new = {n: mine[n] - self.server[n] + (model[n] - x[n]) / (steps * eta_l) for n in x}
        if self.flaw != "forgets":
            self.controls[client] = new
        old = zero if self.flaw == "sends controls" else mine
        return {n: x[n] - model[n] for n in x}, {n: new[n] - old[n] for n in x}

    def aggregate(self, model, results, n_clients, eta_g):
        size = len(results)
        rate = eta_g**2 if self.flaw == "server rate twice" else eta_g
        fresh = {n: v + rate * sum(d[n] for d, _ in results) / size for n, v in model.items()}
        divisor = size if self.flaw == "cohort" else n_clients
        for n in fresh:
            self.server[n] = self.server[n] + sum(d[n] for _, d in results) / divisor
        return fresh


def fedavgm(grad, counts, start, rounds, cohorts, local_steps, lr, server_lr, beta, flaw=""):
    w, m, history = np.array(start), 0.0, []
    for t in range(rounds):
        q = np.array([counts[k] for k in cohorts[t]], dtype=float)
        ends = []
        for k in cohorts[t]:
            x = w
            for _ in range(local_steps):
                x = x - lr * grad(k, x)
            ends.append(x)
        mean = (q / q.sum()) @ np.array(ends)
        if flaw == "models":
            w = beta * w + (1 - beta) * mean
        else:
            m = beta * m + (w - mean)
            w = w - server_lr * (w - mean + beta * m if flaw == "nesterov" else m)
        history.append(w)
    return history


def fedadam(grad, start, rounds, cohorts, epochs, batches, eta_l, eta_g, beta1, beta2, tau, flaw=""):
    w, m, v, history = np.array(start), 0.0, tau**2, []
    for t in range(rounds):
        delta = 0.0
        for k in cohorts[t]:
            x = w
            for _ in range(epochs * batches[k]):
                x = x - eta_l * grad(k, x)
            delta = delta + (x - w) / len(cohorts[t])
        m = delta if flaw == "first" and t == 0 else beta1 * m + (1 - beta1) * delta
        v = beta2 * v + (1 - beta2) * (m if flaw == "of m" else delta) ** 2
        w = w + eta_g * m / (np.sqrt(v) + tau)
        history.append(w)
    return np.array(history)


def fednova(grad, counts, start, rounds, cohorts, local_steps, lr, flaw=""):
    w, history = np.array(start), []
    taus = local_steps if isinstance(local_steps, list) else [local_steps] * len(counts)
    for S in cohorts:
        n = sum(counts[k] for k in S)
        direction, tau = 0.0, 0.0
        for k in S:
            x = w
            for _ in range(taus[k]):
                x = x - lr * grad(k, x)
            direction = direction + counts[k] / n * (w - x) / (lr * taus[k])
            tau = tau + counts[k] / n * taus[k]
        if flaw == "plain tau":
            tau = np.mean([taus[k] for k in S])
        w = w - lr * (1 if flaw == "no tau" else tau) * direction
        history.append(w)
    return history


def feddyn(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha, flaw=""):
    w, h, states, history = np.array(start), 0.0, [0.0] * n_clients, []
    for S in cohorts:
        ends = {}
        for k in S:
            x = w
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - states[k] + alpha * (x - w))
            ends[k] = x
            states[k] = states[k] - alpha * (x - w)
        size = len(S) if flaw == "cohort" else n_clients
        h = h - alpha * sum(x - w for x in ends.values()) / size
        w = sum(ends.values()) / len(S) - (0 if flaw == "average" else h / alpha)
        history.append(w)
    return history


def parallel(grad, central_grad, weights, start, rounds, cohorts, local_steps, J, eta, eta_c, eta_s, eta_m, flaw=""):
    w, history = np.array(start), []
    for S in cohorts:
        mass, update = sum(weights[k] for k in S), 0.0
        for k in S:
            x = w
            for _ in range(local_steps):
                x = x - eta * grad(k, x)
            update = update + weights[k] / mass * (x - w)
        y = w + update if flaw == "sequential" else w
        first = y
        for _ in range(J):
            y = y - (eta if flaw == "client rate" else eta_c) * central_grad(y)
        w = w + eta_m * ((y - first) + eta_s * update)
        history.append(w)
    return history


def one_way(grad, central_grad, weights, start, rounds, cohorts, local_steps, eta, eta_s, flaw=""):
    w, history = np.array(start), []
    for S in cohorts:
        g = central_grad(w)
        mass, update = sum(weights[k] for k in S), 0.0
        for k in S:
            x = w
            for _ in range(local_steps):
                x = x - eta * (grad(k, x) + (central_grad(x) if flaw == "fresh" else g))
            update = update + weights[k] / mass * (x - w)
        w = w + eta_s * update
        history.append(w)
    return history


def two_way(grad, central_grad, weights, start, rounds, cohorts, local_steps, J, eta, eta_c, eta_s, eta_m, flaw=""):
    w, gc, gf, history = np.array(start), 0.0, 0.0, []
    for S in cohorts:
        mass, update = sum(weights[k] for k in S), 0.0
        for k in S:
            x = w
            for _ in range(local_steps):
                x = x - eta * (grad(k, x) + gc)
            update = update + weights[k] / mass * (x - w)
        y = w
        for _ in range(J):
            y = y - eta_c * (central_grad(y) + gf)
        gc, gf = (w - y) / (eta * J) - gf, -update / (eta * local_steps) - (0 if flaw == "keeps" else gc)
        w = w + eta_m * (y - w + eta_s * update)
        history.append(w)
    return history


def fedlama(grad, weights, start, rounds, cohorts, local_steps, lr, intervals, layers, flaw=""):
    w, history = np.array(start), []
    for S in cohorts:
        q = np.array([weights[k] for k in S])
        q = q / q.sum()
        x = np.tile(w, (len(S), 1))
        for step in range(1, local_steps + 1):
            x = x - lr * np.array([grad(k, row) for k, row in zip(S, x, strict=True)])
            for layer, tau in zip(layers, intervals[::-1] if flaw == "reverse" else intervals, strict=True):
                if step % tau == 0:
                    x[:, layer] = q @ x[:, layer]
        w = q @ x
        history.append(w)
    return history


def elastic(grad, weights, start, rounds, cohorts, local_steps, lr, server_lr, tau, flaw=""):
    w, history = np.array(start), []
    for S in cohorts:
        mass = sum(weights[k] for k in S)
        update, omega = 0.0, 0.0
        for k in S:
            x = w
            for _ in range(local_steps):
                x = x - lr * grad(k, x)
            update = update + weights[k] / mass * (x - w)
            omega = omega + weights[k] / mass * np.abs(grad(k, x if flaw == "end" else w))
        w = w + server_lr * (1 + tau - omega / (omega.sum() if flaw == "sum" else omega.max())) * update
        history.append(w)
    return history


def single(grad, counts, start, rounds, cohorts, epochs, batches, lr) -> Any:
    """FedAvg in single precision throughout."""
    w, history = start.astype(np.float32), []
    for S in cohorts:
        q = np.array([counts[k] for k in S], dtype=np.float32)
        ends = []
        for k in S:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - np.float32(lr) * grad(k, x)
            ends.append(x)
        w = (q / q.sum()) @ np.array(ends)
        history.append(w)
    return SimpleNamespace(models=history)
