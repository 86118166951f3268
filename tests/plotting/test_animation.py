"""Animations: the states in order, whole files, sentences for what is missing."""

import shutil
import subprocess
from itertools import pairwise

import matplotlib.animation
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import hyperhedge as hh
from hyperhedge.errors import PlotError
from hyperhedge.plotting.animation import _Scene, agreement
from hyperhedge.plotting.order import incidence_order
from small_hedge import quick
from strategies import random_hypergraphs

H = hh.Hypergraph([[0, 1, 2], [2, 3], []])
PATH = np.linspace(np.random.default_rng(0).normal(0.4, 0.4, (4, 3)), H.incidence.toarray(), 5)


def test_a_gif_has_a_frame_for_each_state_and_pauses_at_the_end(tmp_path):
    out = tmp_path / "path.gif"
    assert hh.animate(PATH, [4, 3, 2, 1, 0], H, out=out, fps=10, dpi=40, title="5 $") == out
    with Image.open(out) as movie:
        assert movie.n_frames == 5
        frames, durations = [], []
        for k in range(5):
            movie.seek(k)
            frames.append(np.asarray(movie.convert("RGB"), dtype=int))
            durations.append(movie.info["duration"])
    assert durations[:4] == [100] * 4
    assert durations[4] > 1000
    assert all((a != b).any() for a, b in pairwise(frames))
    assert [path.name for path in tmp_path.iterdir()] == ["path.gif"]
    first = out.read_bytes()
    hh.animate(PATH, [4, 3, 2, 1, 0], H, out=out, fps=10, dpi=40, title="5 $")
    assert out.read_bytes() == first


def test_samples_of_the_learned_generator_are_shown(tmp_path):
    model = quick().fit(random_hypergraphs(6, 8, 5, seed=0))
    samples = model.sample_paths(2, seed=1, steps=3)
    hh.animate(samples, member=1, out=tmp_path / "path.gif", dpi=30)
    with Image.open(tmp_path / "path.gif") as movie:
        assert movie.n_frames == 4
    with pytest.raises(PlotError, match="no sample 2; there are 2"):
        hh.animate(samples, member=2)
    with pytest.raises(PlotError, match="keep_paths=True"):
        hh.animate(model.sample_paths(1, seed=1, steps=2, keep_paths=False))


def test_the_hypergraph_at_the_end_may_be_another_library_s(tmp_path):
    for name, end in (("ours.gif", H), ("theirs.gif", hh.convert.to_networkx(H))):
        hh.animate(PATH, H=end, out=tmp_path / name, dpi=30)
    assert (tmp_path / "ours.gif").read_bytes() == (tmp_path / "theirs.gif").read_bytes()
    with pytest.raises(hh.errors.HypergraphError, match="H is a str"):
        hh.animate(PATH, H="end")


def test_without_a_file_there_is_an_animation_for_a_notebook():
    animation = hh.animate(PATH)
    assert isinstance(animation, matplotlib.animation.FuncAnimation)
    assert animation.to_jshtml(fps=2).count("data:image/png") >= 5


def test_mp4_needs_ffmpeg(tmp_path, monkeypatch):
    monkeypatch.setattr(matplotlib.animation.writers, "is_available", lambda name: name != "ffmpeg")
    with pytest.raises(PlotError, match=r"MP4 needs the program ffmpeg, which is not installed; write a .gif"):
        hh.animate(PATH, out=tmp_path / "path.mp4")


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed (Debian: apt-get install ffmpeg)")
def test_mp4_shows_the_states_in_order(tmp_path):
    """Decoded again by ffmpeg: as many seconds as asked for, and the last frame is that of the GIF."""
    for name in ("path.mp4", "path.gif"):
        hh.animate(PATH, [4, 3, 2, 1, 0], H, out=tmp_path / name, fps=5, dpi=50)
    frames = tmp_path / "frames"
    frames.mkdir()
    command = ["ffmpeg", "-v", "error", "-i", tmp_path / "path.mp4", frames / "%03d.png"]
    subprocess.run(command, check=True, capture_output=True)
    shown = [np.asarray(Image.open(file).convert("RGB"), dtype=float) for file in sorted(frames.iterdir())]
    with Image.open(tmp_path / "path.gif") as movie:
        expected = []
        for k in range(movie.n_frames):
            movie.seek(k)
            expected.append(np.asarray(movie.convert("RGB"), dtype=float))
    height, width = (min(a, b) for a, b in zip(shown[0].shape, expected[0].shape, strict=True) if a != 3)
    gaps = [[np.abs(a[:height, :width] - b[:height, :width]).mean() for b in expected] for a in shown]
    assert [int(np.argmin(row)) for row in gaps][:5] == [0, 1, 2, 3, 4]
    assert gaps[-1][-1] < 4  # of 255: what compression costs


def test_mp4_is_written_whole(tmp_path, monkeypatch):
    """With a writer that stands in for ffmpeg, since that need not be here."""

    class Writer(matplotlib.animation.PillowWriter):
        def finish(self):
            final, self.outfile = self.outfile, self.outfile.with_suffix(".gif")
            super().finish()
            self.outfile.rename(final)

    monkeypatch.setitem(matplotlib.animation.writers._registered, "ffmpeg", Writer)
    hh.animate(PATH, H=H, out=tmp_path / "path.mp4", dpi=30)
    assert (tmp_path / "path.mp4").read_bytes()[:3] == b"GIF"
    assert len(list(tmp_path.iterdir())) == 1


def test_each_frame_shows_its_state():
    figure = plt.figure()
    scene = _Scene(figure, PATH, None, H, seed=0)
    rows, columns = incidence_order(H)
    left, right = figure.axes
    for k, state in enumerate(PATH):
        scene.show(k)
        np.testing.assert_array_equal(left.images[0].get_array(), state[rows][:, columns])
        lines = right.collections[-1]
        strong = np.clip(state, 0, 1).ravel() ** 2
        np.testing.assert_allclose(lines.get_colors()[:, 3], 0.6 * strong[strong > 0.03])
        hulls = [patch.get_edgecolor()[3] for patch in right.patches[:2]]  # of the larger and the smaller hyperedge
        np.testing.assert_allclose(hulls, 0.95 * agreement(state, H)[:2] ** 2)


def test_agreement_is_the_jaccard_index():
    state = np.array([[1, 0, 0.6], [0.2, 0, 0], [0.9, 0.8, 0], [0, 0.7, 0]])
    np.testing.assert_allclose(agreement(state, H), [2 / 3, 1.0, 0.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((PATH[0],), "finite states × nodes × hyperedges"),
        ((PATH * np.nan,), "finite"),
        ((PATH, [1, 0]), "5 states and 2 times"),
        ((PATH, None, hh.Hypergraph([[0]])), "4 × 3, and the hypergraph is 1 × 1"),
    ],
)
def test_bad_paths_are_refused(arguments, message):
    with pytest.raises(PlotError, match=message):
        hh.animate(*arguments)


def test_bad_names_are_refused(tmp_path):
    with pytest.raises(PlotError, match=r"must end in \.gif or .mp4"):
        hh.animate(PATH, out=tmp_path / "path.avi")
