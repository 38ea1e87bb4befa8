"""Layers of the three networks of the FedLAMA paper, computed from the definitions of the networks.

The paper names ResNet20 (He et al., CIFAR-10), Wide ResNet 28-10 (Zagoruyko and Komodakis, CIFAR-100) and a convolutional network
for FEMNIST (Caldas et al.: two 5 x 5 convolutions with 32 and 64 channels, a hidden layer of 2048 units, 62 classes).  A
layer is a convolution or a matrix; its bias, or its batch normalisation (two numbers per channel), is joined to it or is a
layer of its own.
"""

from collections.abc import Sequence
from functools import cache

Sizes = tuple[int, ...]


def convolution(inside: int, outside: int, width: int = 3) -> int:
    """Parameters of a convolution of ``width x width`` without bias."""
    return width * width * inside * outside


def dense(inside: int, outside: int) -> int:
    """Parameters of a matrix with bias."""
    return inside * outside + outside


def _with_normalisation(layers: Sequence[tuple[int, int]], joined: bool) -> list[int]:
    """Sizes of convolutions, given with their channels, and of the normalisations."""
    if joined:
        return [size + 2 * channels for size, channels in layers]
    return [size for pair in layers for size in (pair[0], 2 * pair[1])]


@cache
def resnet20(*, joined: bool = True) -> Sizes:
    """ResNet20 for CIFAR-10 with identity short cuts: 19 convolutions, each with a normalisation, and ten classes."""
    layers, inside = [(convolution(3, 16), 16)], 16
    for channels in (16, 32, 64):
        for _ in range(6):
            layers.append((convolution(inside, channels), channels))
            inside = channels
    return (*_with_normalisation(layers, joined), dense(64, 10))


@cache
def wide_resnet_28_10(*, joined: bool = True) -> Sizes:
    """WRN-28-10 for CIFAR-100: normalisation before each convolution of a block, a 1 x 1 short cut where the width changes."""
    layers, inside = [(convolution(3, 16), 0)], 16
    for channels in (160, 320, 640):
        for block in range(4):
            layers += [(convolution(inside, channels), inside), (convolution(channels, channels), channels)]
            if block == 0:
                layers.append((convolution(inside, channels, 1), 0))
            inside = channels
    last = [(dense(640, 100), 640)]
    return tuple(size for size in _with_normalisation([*layers, *last], joined) if size)


@cache
def femnist_network(*, joined: bool = True) -> Sizes:
    """The FEMNIST network: two convolutions, each with a pooling that halves 28 x 28, and two dense layers, all with biases."""
    pairs = [(5 * 5 * 1 * 32, 32), (5 * 5 * 32 * 64, 64), (7 * 7 * 64 * 2048, 2048), (2048 * 62, 62)]
    return tuple(map(sum, pairs)) if joined else tuple(size for pair in pairs for size in pair)


#: Table -> the network that it trains.
NETWORKS = {1: resnet20, 2: wide_resnet_28_10, 3: femnist_network, 4: resnet20, 5: wide_resnet_28_10}
