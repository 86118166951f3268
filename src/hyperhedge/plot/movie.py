"""The way from noise to a hypergraph, as a moving picture.

On the left is the relaxed matrix, rows and columns in the order of the hypergraph that it becomes; on the right that
hypergraph's layout, which stays. There a line joins a node and a hyperedge as strongly as their entry says (0
nothing, 1 full), and the hull of a hyperedge is as strong as the column agrees with it: by the Jaccard index of its
members and the entries above ½.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperhedge.convert.optional import require
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.plot.labels import shown
from hyperhedge.plot.order import incidence_order
from hyperhedge.plot.panels import draw_hulls, draw_matrix, edge_colours, layout_of
from hyperhedge.plot.theme import DrawingError, FloatArray, matrix_scale, mpl

__all__ = ["agreement", "animate", "check_movie_name"]

_WAIT = 1.6  # seconds that the result is shown for
_FAINT = 0.03  # lines that are not worth drawing
_SCALE_COLOURS = 81  # of the 256 colours of a GIF: an entry is shown true to 1/80 of the scale
_WHITE = 243
_ENDINGS = (".gif", ".mp4")


def animate(
    path: Any,
    times: Sequence[float] | None = None,
    H: Hypergraph | None = None,
    *,
    out: PathLike | None = None,
    member: int = 0,
    fps: float = 8.0,
    dpi: int = 90,
    title: str | None = None,
    seed: int = 0,
) -> Any:
    """Show how a sample comes out of noise.

    Parameters
    ----------
    path
        The states ``(steps + 1, n, m)`` from noise on; or what ``Hedge.sample(…, return_path=True)`` returns, of which
        ``member`` is shown.
    times
        The time of each state, shown above it; those of the sample if not given.
    H
        The hypergraph at the end; the entries of the last state above ½ if not given.
    out
        A file to write: ``.gif``, or ``.mp4`` if ffmpeg is installed.
    member
        Which sample.
    fps, dpi
        Pictures a second, and dots an inch.
    title
        Above the whole.
    seed
        Of the layout.

    Returns
    -------
    matplotlib.animation.FuncAnimation or pathlib.Path
        The file, if one is written; or else an animation, for a notebook: ``HTML(animation.to_jshtml())``.
    """
    if out is not None:
        check_movie_name(out)
    states, times, H = _path(path, times, H, member)
    figure = mpl("figure").Figure(figsize=(9.0, 4.9), dpi=dpi, layout="constrained")
    mpl("backends.backend_agg").FigureCanvasAgg(figure)
    if title is not None:
        figure.suptitle(shown(title))
    scene = _Scene(figure, states, times, H, seed)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # what moves is inside the axes, which stay
    if out is None:
        return scene.animation(fps)
    if Path(out).suffix.lower() == ".gif":
        with atomic_file(out) as file:
            file.write(scene.gif(fps))
    else:
        _save_mp4(scene, Path(out), fps)
    return Path(out)


def check_movie_name(out: PathLike) -> None:
    """Refuse a name that no moving picture can be written under."""
    ending = Path(out).suffix.lower()
    if ending not in _ENDINGS:
        raise DrawingError(f"{out}: the name of a moving picture must end in .gif or .mp4")
    if ending == ".mp4" and not mpl("animation").writers.is_available("ffmpeg"):
        raise DrawingError(f"{out}: MP4 needs the program ffmpeg, which is not installed; write a .gif instead")


def agreement(state: FloatArray, H: Hypergraph) -> FloatArray:
    """Return, for each hyperedge, the Jaccard index of its members and the entries above ½ in its column; 1 if both are empty.

    Examples
    --------
    >>> agreement(np.array([[0.9, 0.1], [0.7, 0.2]]), Hypergraph([[0], []], nodes=2))
    array([0.5, 1. ])
    """
    members, now = H.incidence.toarray() > 0, state >= 0.5
    union = (members | now).sum(0)
    shares: FloatArray = np.where(union > 0, (members & now).sum(0) / np.maximum(union, 1), 1.0)
    return shares


class _Scene:
    """The artists that change from picture to picture."""

    def __init__(
        self, figure: Any, states: FloatArray, times: Sequence[float] | None, H: Hypergraph, seed: int
    ) -> None:
        self.figure, self.states, self.times, self.H = figure, states, times, H
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
        draw_matrix(H, left, labels=False)
        self.left, self.image = left, left.images[0]
        self.rows, self.columns = incidence_order(H)
        layout = layout_of(H, None, seed)
        draw_hulls(H, right, pos=layout, labels=False, edge_labels=False)
        drawn = [e for e in np.argsort(-H.sizes, kind="stable") if H.sizes[e]]
        self.hulls = list(zip(drawn, right.patches, strict=False))
        self.ends = np.stack([np.repeat(layout.nodes, H.m, axis=0), np.tile(layout.edges, (H.n, 1))], axis=1)
        self.colours = np.array([mpl("colors").to_rgba(colour) for colour in edge_colours(H)]).reshape(-1, 4)
        self.lines = mpl("collections").LineCollection([], linewidths=0.9, zorder=3)
        right.add_collection(self.lines)
        self.show(0)

    def show(self, k: int) -> list[Any]:
        """Show one state."""
        state = self.states[k]
        self.image.set_data(state[self.rows][:, self.columns])
        shares = agreement(state, self.H) ** 2
        for e, hull in self.hulls:
            hull.set_facecolor((*self.colours[e, :3], 0.16 * shares[e]))
            hull.set_edgecolor((*self.colours[e, :3], 0.95 * shares[e]))
        strength = np.clip(state, 0.0, 1.0).reshape(-1) ** 2
        seen = np.flatnonzero(strength > _FAINT)
        rgba = np.tile(self.colours, (self.H.n, 1))[seen]
        rgba[:, 3] = 0.6 * strength[seen]
        self.lines.set_segments(list(self.ends[seen]))
        self.lines.set_color(rgba)
        self.left.set_title(
            f"step {k} of {len(self.states) - 1}" + (f",  s = {self.times[k]:.2f}" if self.times else "")
        )
        return [self.image, self.lines]

    def animation(self, fps: float) -> Any:
        """Return an animation that shows all states, and the last one for a while."""
        last = len(self.states) - 1
        frames = [*range(last), *[last] * (1 + round(_WAIT * fps))]
        return mpl("animation").FuncAnimation(self.figure, self.show, frames=frames, interval=1000 / fps, blit=False)

    def gif(self, fps: float) -> bytes:
        """Return the same as a GIF, whose colours are those of the first and the last picture and of the scale of matrices."""
        Image = require("PIL.Image", "plot")
        pictures = [self._picture(k) for k in range(len(self.states))]
        both = Image.new("RGB", (pictures[0].width, 2 * pictures[0].height))
        both.paste(pictures[0], (0, 0))
        both.paste(pictures[-1], (0, pictures[0].height))
        found = both.quantize(256 - _SCALE_COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
        scale = (255 * matrix_scale()["cmap"](np.linspace(0, 1, _SCALE_COLOURS))[:, :3]).round().astype(int)
        colours = np.vstack([np.reshape(found.getpalette(), (-1, 3))[: 256 - _SCALE_COLOURS], scale])
        colours[colours.min(1) > _WHITE] = 255  # Pillow looks for near colours only roughly, and paper is white
        palette = Image.new("P", (1, 1))
        palette.putpalette(colours.ravel().tolist())
        frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
        durations = [round(1000 / fps)] * (len(frames) - 1) + [round(1000 / fps + 1000 * _WAIT)]
        buffer = io.BytesIO()
        frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
        return buffer.getvalue()

    def _picture(self, k: int) -> Any:
        self.show(k)
        self.figure.canvas.draw()
        return require("PIL.Image", "plot").fromarray(np.asarray(self.figure.canvas.buffer_rgba())).convert("RGB")


def _path(
    given: Any, times: Sequence[float] | None, H: Hypergraph | None, member: int
) -> tuple[FloatArray, list[float] | None, Hypergraph]:
    """Return the states, their times and the hypergraph at the end."""
    if hasattr(given, "hypergraphs"):
        if given.paths is None:
            raise DrawingError("these samples have no paths: draw them with return_path=True")
        if not 0 <= member < len(given.paths):
            raise DrawingError(f"there is no sample {member}; there are {len(given.paths)}, from 0 on")
        times = given.times if times is None else times
        given, H = given.paths[member], given.hypergraphs[member] if H is None else H
    states = np.asarray(given, dtype=np.float64)
    if states.ndim != 3 or not states.size or not np.isfinite(states).all():
        raise DrawingError(
            f"a path must be finite states × nodes × hyperedges, none of them 0, and this one has the shape {states.shape}"
        )
    H = Hypergraph.from_incidence(states[-1] >= 0.5) if H is None else H
    if (H.n, H.m) != states.shape[1:]:
        raise DrawingError(f"the states are {states.shape[1]} × {states.shape[2]}, and the hypergraph is {H.n} × {H.m}")
    if times is not None and len(times) != len(states):
        raise DrawingError(f"there are {len(states)} states and {len(times)} times")
    return states, None if times is None else [float(time) for time in times], H


def _save_mp4(scene: _Scene, out: Path, fps: float) -> None:
    """Write a moving picture by ffmpeg, which wants a name, so that it is made elsewhere and then copied."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "movie.mp4"
        scene.animation(fps).save(made, writer=mpl("animation").writers["ffmpeg"](fps=fps))
        with made.open("rb") as source, atomic_file(out) as file:
            shutil.copyfileobj(source, file)
