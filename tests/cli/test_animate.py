"""``hyperhedge animate``: how a sample of a model emerges from noise, and what is refused."""

import pytest
from PIL import Image

import hyperhedge as hh
from small_hedge import quick
from strategies import random_hypergraphs


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "learned"
    quick().fit(random_hypergraphs(6, 8, 5, seed=0)).save(folder)
    return folder


def test_every_step_of_a_sample_is_a_frame(run, model, tmp_path):
    out = tmp_path / "path.gif"
    options = ("--steps", 4, "--nodes", 7, "--edges", 3, "--dpi", 30, "--seed", 2, "--fps", 5, "--title", "growth")
    code, printed, err = run("animate", model, "-o", out, *options)
    assert (code, printed) == (0, "")
    H = hh.load_model(model).sample(1, seed=2, steps=4, n=7, m=3)[0]
    assert err.splitlines() == [f"{model} → {out} ({repr(H).strip('<>')}, 4 steps)"]
    with Image.open(out) as animation:
        assert animation.n_frames == 5
        assert animation.info["duration"] == 200


def test_what_cannot_work_is_one_sentence(run, model, tmp_path):
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1]])]).save(tmp_path / "er")
    cases = {
        (model, "-o", tmp_path / "x.png"): "must end in .gif or .mp4",
        (model, "-o", tmp_path / "no" / "x.gif"): "there is no folder",
        (model, "-o", tmp_path / "x.gif", "--fps", 0): "Invalid value for '--fps'",
        (tmp_path / "er", "-o", tmp_path / "x.gif"): "a model of the kind erdos-renyi does not sample from noise",
        (tmp_path / "gone", "-o", tmp_path / "x.gif"): "gone",
    }
    for arguments, message in cases.items():
        code, printed, err = run("animate", *arguments)
        assert (code, printed, err.count("\n")) == (2, "", 1), err
        assert message in err
    assert not list(tmp_path.glob("x.*"))
