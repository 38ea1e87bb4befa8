"""FedJAX: its own federated averaging over client datasets in memory."""

from __future__ import annotations

import jax

jax.config.update("jax_enable_x64", True)
# The name that FedJAX 0.0.17 asks for left JAX.
jax.tree_map = jax.tree_util.tree_map  # type: ignore[attr-defined]

import fedjax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from fedjax.algorithms import fed_avg  # noqa: E402

from benchmarks.simulators.task import BATCH, CLIENTS, COHORT, RIDGE, STEP, STEPS, arguments, load, timed  # noqa: E402

features, labels = load(arguments().data)
clients = [fedjax.ClientDataset({"x": x, "y": y}) for x, y in zip(features, labels, strict=True)]


def loss(params, batch):  # type: ignore[no-untyped-def]
    scores = batch["x"] @ params["w"].T + params["b"]
    own = jnp.take_along_axis(jax.nn.log_softmax(scores), batch["y"][:, None], axis=1)
    return -own.mean() + RIDGE / 2 * ((params["w"] ** 2).sum() + (params["b"] ** 2).sum())


grad = jax.grad(loss)
method = fed_avg.federated_averaging(
    lambda params, batch, rng: grad(params, batch),
    fedjax.optimizers.sgd(STEP),
    fedjax.optimizers.sgd(1.0),
    fedjax.ShuffleRepeatBatchHParams(batch_size=BATCH, num_epochs=None, num_steps=STEPS, drop_remainder=True),
)


def run(rounds: int) -> object:
    rng = np.random.default_rng(0)
    state = method.init({"w": jnp.zeros((10, 60)), "b": jnp.zeros(10)})
    for number in range(rounds):
        chosen = rng.choice(CLIENTS, COHORT, replace=False)
        keys = jax.random.split(jax.random.key(number), COHORT)
        state, _ = method.apply(state, [(str(k), clients[k], key) for k, key in zip(chosen, keys, strict=True)])
    return jax.block_until_ready(state.params)


timed(run, package="fedjax", note="float64; one line gives JAX back the name jax.tree_map")
