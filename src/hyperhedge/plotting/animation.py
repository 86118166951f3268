"""The path from noise to a hypergraph, as an animation.

On the left is the relaxed matrix, rows and columns in the order of the hypergraph that it becomes; on the right is that
hypergraph's layout, which stays fixed. There a line joins a node and a hyperedge with the strength of their entry (0
invisible, 1 full), and the hull of a hyperedge is as strong as its column agrees with it: by the Jaccard index of its
members and the entries of at least ½.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperhedge._system.optional import require
from hyperhedge.convert import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.plotting.incidence import plot_incidence
from hyperhedge.plotting.labels import title_text
from hyperhedge.plotting.layout import force_layout
from hyperhedge.plotting.order import incidence_order
from hyperhedge.plotting.panels import FILL, LINE, edge_colours, hull_order, plot_hulls
from hyperhedge.plotting.theme import matrix_scale, mpl
from hyperhedge.typing import FloatArray, Seed

_PAUSE = 1.6  # seconds for which the last state stays
_FAINT = 0.03  # lines of less opacity could not be seen
_LINE_OPACITY = 0.6  # of an entry of 1: the hull is seen through the lines
_SCALE_COLOURS = 81  # of the 256 colours of a GIF: an entry is shown true to 1/80 of the scale
_NEARLY_WHITE = 243  # of 255


def animate(
    path: Any,
    times: Sequence[float] | None = None,
    H: Any = None,
    *,
    out: PathLike | None = None,
    member: int = 0,
    fps: float = 8.0,
    dpi: int = 90,
    title: str | None = None,
    seed: Seed | None = 0,
) -> Any:
    """Show how a sample emerges from noise.

    Parameters
    ----------
    path
        The states ``(steps + 1, n, m)``, from noise on; or what :meth:`Hedge.sample_paths` returns, of which ``member`` is
        shown.
    times
        The time of each state, shown above it; by default those of the sample.
    H
        The hypergraph at the end; by default the entries of the last state that are at least ½.
    out
        A file to write: ``.gif``, or ``.mp4`` if ffmpeg is installed.
    member
        Which sample, from 0.
    fps, dpi
        Frames per second, and dots per inch.
    title
        The title of the whole figure.
    seed
        The seed of the layout.

    Returns
    -------
    matplotlib.animation.FuncAnimation or pathlib.Path
        The file, if one is written; otherwise an animation, for a notebook: ``HTML(animation.to_jshtml())``.
    """
    if out is not None:
        check_animation_name(out)
    if hasattr(path, "hypergraphs"):
        path, times, H = _member_of(path, times, H, member)
    states, times, H = _checked(path, times, H)
    figure = mpl("figure").Figure(figsize=(9.0, 4.9), dpi=dpi, layout="constrained")
    mpl("backends.backend_agg").FigureCanvasAgg(figure)
    if title is not None:
        figure.suptitle(title_text(title))
    scene = _Scene(figure, states, times, H, seed)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # only what is inside the axes moves
    if out is None:
        return scene.animation(fps)
    if Path(out).suffix.lower() == ".gif":
        with atomic_file(out) as file:
            file.write(scene.gif(fps))
    else:
        _save_mp4(scene, Path(out), fps)
    return Path(out)


def check_animation_name(out: PathLike) -> None:
    """Refuse the name of a file that no animation can be written to."""
    ending = Path(out).suffix.lower()
    if ending not in (".gif", ".mp4"):
        raise PlotError(f"{out}: the name of an animation must end in .gif or .mp4")
    if ending == ".mp4" and not mpl("animation").writers.is_available("ffmpeg"):
        raise PlotError(f"{out}: MP4 needs the program ffmpeg, which is not installed; write a .gif instead")


def agreement(state: FloatArray, H: Hypergraph) -> FloatArray:
    """Return, for each hyperedge, the Jaccard index of its members and the entries of at least ½; 1 if both are empty.

    Examples
    --------
    >>> agreement(np.array([[0.9, 0.1], [0.7, 0.2]]), Hypergraph([[0], []], nodes=2))
    array([0.5, 1. ])
    """
    members, present = H.incidence.toarray() > 0, state >= 0.5
    union = (members | present).sum(0)
    jaccard: FloatArray = np.where(union > 0, (members & present).sum(0) / np.maximum(union, 1), 1.0)
    return jaccard


class _Scene:
    """The artists that change from frame to frame."""

    def __init__(
        self, figure: Any, states: FloatArray, times: Sequence[float] | None, H: Hypergraph, seed: Seed | None
    ) -> None:
        self.figure, self.states, self.times, self.H = figure, states, times, H
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
        plot_incidence(H, left, labels=False)
        self.left, self.image = left, left.images[0]
        self.rows, self.columns = incidence_order(H)
        layout = force_layout(H, seed=seed)
        plot_hulls(H, right, pos=layout, labels=False, edge_labels=False)
        self.hulls = list(zip(hull_order(H), right.patches, strict=False))  # empty hyperedges are patches after them
        self.ends = np.stack([np.repeat(layout.nodes, H.m, axis=0), np.tile(layout.edges, (H.n, 1))], axis=1)
        self.colours = np.array([mpl("colors").to_rgba(colour) for colour in edge_colours(H)]).reshape(-1, 4)
        self.lines = mpl("collections").LineCollection([], linewidths=0.9, zorder=3)
        right.add_collection(self.lines)
        self.show(0)

    def show(self, k: int) -> list[Any]:
        """Show one state; opacities are squared, so noise stays in the background."""
        state = self.states[k]
        self.image.set_data(state[self.rows][:, self.columns])
        strengths = agreement(state, self.H) ** 2
        for e, hull in self.hulls:
            hull.set_facecolor((*self.colours[e, :3], FILL * strengths[e]))
            hull.set_edgecolor((*self.colours[e, :3], LINE * strengths[e]))
        opacity = np.clip(state, 0.0, 1.0).reshape(-1) ** 2
        visible = np.flatnonzero(opacity > _FAINT)
        rgba = np.tile(self.colours, (self.H.n, 1))[visible]
        rgba[:, 3] = _LINE_OPACITY * opacity[visible]
        self.lines.set_segments(list(self.ends[visible]))
        self.lines.set_color(rgba)
        time = f",  s = {self.times[k]:.2f}" if self.times else ""
        self.left.set_title(f"step {k} of {len(self.states) - 1}{time}")
        return [self.image, self.lines]

    def animation(self, fps: float) -> Any:
        """Return an animation of all states that pauses at the last one."""
        last = len(self.states) - 1
        frames = [*range(last), *[last] * (1 + round(_PAUSE * fps))]
        return mpl("animation").FuncAnimation(self.figure, self.show, frames=frames, interval=1000 / fps, blit=False)

    def gif(self, fps: float) -> bytes:
        """Return the same as a GIF, whose colours are those of the first and the last frame and of the scale of matrices."""
        Image = require("PIL.Image", "plot")
        images = [self._image(k) for k in range(len(self.states))]
        both = Image.new("RGB", (images[0].width, 2 * images[0].height))
        both.paste(images[0], (0, 0))
        both.paste(images[-1], (0, images[0].height))
        reduced = both.quantize(256 - _SCALE_COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
        scale = (255 * matrix_scale()["cmap"](np.linspace(0, 1, _SCALE_COLOURS))[:, :3]).round().astype(int)
        colours = np.vstack([np.reshape(reduced.getpalette(), (-1, 3))[: 256 - _SCALE_COLOURS], scale])
        colours[colours.min(1) > _NEARLY_WHITE] = 255  # Pillow matches colours only roughly, and paper is white
        palette = Image.new("P", (1, 1))
        palette.putpalette(colours.ravel().tolist())
        frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
        durations = [round(1000 / fps)] * (len(frames) - 1) + [round(1000 / fps + 1000 * _PAUSE)]
        buffer = io.BytesIO()
        frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
        return buffer.getvalue()

    def _image(self, k: int) -> Any:
        self.show(k)
        self.figure.canvas.draw()
        return require("PIL.Image", "plot").fromarray(np.asarray(self.figure.canvas.buffer_rgba())).convert("RGB")


def _member_of(samples: Any, times: Sequence[float] | None, H: Any, member: int) -> tuple[Any, Any, Any]:
    """Return the path of one sample, its times and its hypergraph, unless the caller has others."""
    if samples.paths is None:
        raise PlotError("these samples have no paths; sample them with keep_paths=True")
    if not 0 <= member < len(samples.paths):
        raise PlotError(f"there is no sample {member}; there are {len(samples.paths)}, numbered from 0")
    return (
        samples.paths[member],
        samples.times if times is None else times,
        samples.hypergraphs[member] if H is None else H,
    )


def _checked(path: Any, times: Sequence[float] | None, H: Any) -> tuple[FloatArray, list[float] | None, Hypergraph]:
    """Return the states, their times and the hypergraph at the end."""
    states = np.asarray(path, dtype=np.float64)
    if states.ndim != 3 or not states.size or not np.isfinite(states).all():
        raise PlotError(
            f"a path must be an array of finite states × nodes × hyperedges, and this one has the shape {states.shape}"
        )
    H = Hypergraph.from_incidence(states[-1] >= 0.5) if H is None else as_hypergraph(H)
    if (H.n, H.m) != states.shape[1:]:
        raise PlotError(f"the states are {states.shape[1]} × {states.shape[2]}, and the hypergraph is {H.n} × {H.m}")
    if times is not None and len(times) != len(states):
        raise PlotError(f"there are {len(states)} states and {len(times)} times")
    return states, None if times is None else [float(time) for time in times], H


def _save_mp4(scene: _Scene, out: Path, fps: float) -> None:
    """Write an MP4; ffmpeg insists on a file name, so it writes to a temporary folder first."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "animation.mp4"
        scene.animation(fps).save(temporary, writer=mpl("animation").writers["ffmpeg"](fps=fps))
        with temporary.open("rb") as source, atomic_file(out) as file:
            shutil.copyfileobj(source, file)
