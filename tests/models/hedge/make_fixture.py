"""Make the saved model of `fixtures/`, with relaxed states that it draws: `python tests/models/hedge/make_fixture.py`.

Models that people have saved must keep loading, so a model is made again only for a new version of the format, under a new name. To
change the network or its features after a release is to keep reading the old ones. Where it is there already, only the states are
drawn again, which is for changes of how samples are drawn.
"""

import sys
from pathlib import Path

import numpy as np

from hyperhedge.models.base import load_model
from hyperhedge.models.hedge import Hedge

FOLDER = Path(__file__).parent / "fixtures" / "model-v1"
STATES = FOLDER.with_suffix(".npz")
OPTIONS = {"count": 4, "seed": 7, "steps": 6}


def make():
    """Fit a small model, and save it."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from strategies import random_hypergraphs

    training = [*random_hypergraphs(20, 6, 4, 0.4, seed=1), *random_hypergraphs(10, 5, 3, 0.4, seed=2)]
    shape = {"width": 16, "channels": 8, "hidden": 8, "blocks": 1}
    model = Hedge(iterations=60, warmup=10, ema=0.9, workers=1, given="both", seed=0, **shape)
    model.fit(training).save(FOLDER)


def record():
    """Keep the states of a few samples of the saved model."""
    model = load_model(FOLDER)
    states = {
        f"{sampler}-{k}": X
        for sampler in ("exponential", "flow")
        for k, X in enumerate(model.sample_paths(**OPTIONS, sampler=sampler).states)
    }
    np.savez_compressed(STATES, **states)


if __name__ == "__main__":
    if not FOLDER.exists():
        make()
    record()
