"""Generators that keep their training hypergraphs: a saved model has them in ``training.npz``."""

from __future__ import annotations

from pathlib import Path

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.io.npz import encode_npz_collection, read_npz_collection
from hyperhedge.models.base import BaseGenerator, shapes_of

TRAINING = "training.npz"


class StoringGenerator(BaseGenerator):
    """What generators share that sample from the training hypergraphs themselves."""

    training_: list[Hypergraph]

    def _write_arrays(self, folder: Path) -> None:
        (folder / TRAINING).write_bytes(encode_npz_collection(self.training_))

    def _read_arrays(self, folder: Path) -> None:
        file = folder / TRAINING
        if not file.is_file():
            raise FormatError("the file is missing: the saved model is not complete", path=file)
        self.training_ = read_npz_collection(file)
        if shapes_of(self.training_) != self.shapes_:
            raise FormatError("these are not the hypergraphs that model.json counts", path=file)
