"""Colours and sizes of nodes and hyperedges that stand for values or classes.

What a caller gives is a mapping from labels, a sequence in the order of the hypergraph, the name of a statistic
(``"degree"`` of nodes, ``"size"`` of hyperedges), or one colour. Numbers are *values*: they have a scale from light to
dark and a colour bar. Everything else is a *class*: up to nine have a colour of their own and a legend; of more, the nine
most frequent do, and the others share a grey. Strings that are all names of colours are these colours. What has no value
(missing from a mapping, None or NaN) is grey.

Areas of dots are proportional to values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting.labels import label_text
from hyperhedge.plotting.theme import CLASS_COLOURS, COLOURS, INK, MUTED, NO_VALUE, mpl, value_scale
from hyperhedge.typing import FloatArray, IntArray

Side = Literal["node", "hyperedge"]

_LARGEST, _LEAST = 2.0, 0.5  # radii of dots, in those of a dot without a value
_STATISTICS = {"node": "degree", "hyperedge": "size"}


@dataclass(frozen=True)
class Colours:
    """A colour for each node or hyperedge, and what the colours mean.

    Attributes
    ----------
    side, title
        What has these colours, and what they stand for.
    each
        A colour for each, ``(count, 4)``: red, green, blue, opacity.
    codes, palette, classes
        The class of each, its colour and its name. Without names there is no legend.
    values, mappable
        Of values, which are no classes: the numbers, NaN where there is none, and matplotlib's scale.
    """

    side: Side
    title: str
    each: FloatArray
    codes: IntArray
    palette: FloatArray
    classes: tuple[str, ...] = ()
    values: FloatArray | None = None
    mappable: Any = None

    def binned(self, order: IntArray, bins: int) -> FloatArray:
        """Return a colour for each bin of an order: that of the mean value, or of the most frequent class."""
        bin_of = np.arange(len(order)) * bins // max(len(order), 1)
        if self.values is not None:
            values, known = self.values[order], np.isfinite(self.values[order])
            count = np.bincount(bin_of[known], minlength=bins)
            means = np.bincount(bin_of[known], weights=values[known], minlength=bins) / np.maximum(count, 1)
            rgba: FloatArray = self.mappable.to_rgba(means)
            rgba[count == 0] = mpl("colors").to_rgba(NO_VALUE)
            return rgba
        kinds = len(self.palette)
        table = np.bincount(bin_of * kinds + self.codes[order], minlength=bins * kinds).reshape(bins, kinds)
        of_bins: FloatArray = self.palette[table.argmax(1)]
        return of_bins


@dataclass(frozen=True)
class Sizes:
    """A radius for each node, in those of a plain dot, and the least and the greatest value; None if all are alike."""

    factors: FloatArray
    title: str
    ends: tuple[float, float] | None = None


def colours_of(H: Hypergraph, side: Side, asked: Any, argument: str) -> Colours | None:
    """Return the colours that an argument asks for; None if it asks for none."""
    if asked is None:
        return None
    if isinstance(asked, str) and asked != _STATISTICS[side]:
        return _one_colour(H, side, asked, argument)
    values = _in_order(H, side, asked, argument)
    title = _title(asked, side)
    known = [value for value in values if not _is_missing(value)]
    if known and all(map(_is_number, known)):
        return _by_value(side, title, _as_floats(values, argument))
    return _by_class(side, title, [None if _is_missing(value) else str(value) for value in values])


def sizes_of(H: Hypergraph, asked: Any, argument: str) -> Sizes:
    """Return the sizes that an argument asks for."""
    if asked is None:
        return Sizes(np.ones(H.n), "")
    if _is_number(asked):
        if not 0 < float(asked) <= 10:
            raise PlotError(f"{argument}= must be between 0 and 10 times the usual size, not {asked!r}")
        return Sizes(np.full(H.n, float(asked)), "")
    if isinstance(asked, str) and asked != "degree":
        raise PlotError(f"{argument}= must be 'degree', a number or values of nodes, not {asked!r}")
    values = _in_order(H, "node", asked, argument)
    if not all(_is_missing(value) or _is_number(value) for value in values):
        raise PlotError(f"{argument}= must be numbers; {next(v for v in values if not _is_number(v))!r} is none")
    sizes = np.nan_to_num(_as_floats(values, argument))
    if (sizes < 0).any():
        raise PlotError(f"{argument}= must not be negative, and the least value is {sizes.min():g}")
    factors = np.maximum(_LARGEST * np.sqrt(sizes / max(float(sizes.max(initial=0)), 1e-300)), _LEAST)
    ends = (float(sizes.min()), float(sizes.max())) if len(sizes) else None
    return Sizes(factors, _title(asked, "node"), ends)


def add_keys(ax: Any, *colours: Colours | None, sizes: Sizes | None = None, gap: float = 0.01) -> None:
    """Explain colours and sizes beside axes: classes and sizes by legends, values by colour bars."""
    x = 1.0 + gap
    present = [each for each in colours if each is not None]
    legends = [_class_key(each) for each in present if each.classes]
    if sizes is not None and sizes.ends is not None:
        legends.append(_size_key(sizes, sizes.ends))
    for k, (title, handles) in enumerate(legends):
        corner, anchor = (("upper left", (x, 1.0)), ("lower left", (x, 0.0)), ("center left", (x, 0.5)))[k]
        options: dict[str, Any] = {
            "frameon": False,
            "fontsize": 9,
            "title_fontsize": 9,
            "alignment": "left",
            "borderaxespad": 0.2,
            "handletextpad": 0.3,
        }
        legend = ax.legend(handles=handles, title=title, loc=corner, bbox_to_anchor=anchor, **options)
        if k < len(legends) - 1:
            ax.add_artist(legend)
    for each in present:
        if each.mappable is not None:
            where = "right" if each.side == "node" else "bottom"
            bar = ax.figure.colorbar(each.mappable, ax=ax, location=where, shrink=0.5, aspect=28, pad=0.02)
            bar.set_label(each.title, color=INK, fontsize=9)
            if each.values is not None and not (each.values[np.isfinite(each.values)] % 1).any():
                bar.locator = mpl("ticker").MaxNLocator(integer=True, nbins=7)
                bar.update_ticks()
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=8, color=MUTED, labelcolor=INK)


# -- values in order ----------------------------------------------------------------------------------------------------


def _in_order(H: Hypergraph, side: Side, asked: Any, argument: str) -> list[Any]:
    """Return a value for each node or hyperedge, None where there is none."""
    labels = H.nodes if side == "node" else H.edges
    if isinstance(asked, str):
        return list((H.degrees if side == "node" else H.edge_sizes).tolist())
    by_label = _as_mapping(asked)
    if by_label is None:
        values = _as_list(asked, side, argument)
        if len(values) != len(labels):
            raise PlotError(
                f"{argument}= has {len(values):,} values, and there are {len(labels):,} {side}s; give one for each, "
                "in order, or a mapping from labels"
            )
        return values
    _check_labels(by_label, labels, side, argument)
    return [by_label.get(label) for label in labels]


def _as_mapping(asked: Any) -> Mapping[Any, Any] | None:
    """Return a mapping as it is, and those that XGI's statistics and pandas' series stand for."""
    if isinstance(asked, Mapping):
        return asked
    for name in ("asdict", "to_dict"):
        if hasattr(asked, name):
            mapping: Mapping[Any, Any] = getattr(asked, name)()
            return mapping
    return None


def _as_list(asked: Any, side: Side, argument: str) -> list[Any]:
    if isinstance(asked, np.ndarray) and asked.ndim == 1:
        return list(asked.tolist())
    if isinstance(asked, Sequence) and not isinstance(asked, bytes):
        return list(asked)
    raise PlotError(
        f"{argument}= must be a mapping from labels, a sequence with a value for each {side}, "
        f"{_STATISTICS[side]!r} or one colour"
    )


def _check_labels(by_label: Mapping[Any, Any], labels: Sequence[Any], side: Side, argument: str) -> None:
    """Refuse a mapping that has labels of nothing here while something here has no value: they are misspelt."""
    known = set(labels)
    unknown = next((label for label in by_label if label not in known), None)
    missing = next((label for label in labels if label not in by_label), None)
    if missing is not None and unknown is not None:
        raise PlotError(
            f"{argument}= has a value for {unknown!r}, which is no {side}, and none for the {side} {missing!r}; "
            f"spell the labels as the hypergraph does"
        )


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and bool(np.isnan(float(value))))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _as_floats(values: list[Any], argument: str) -> FloatArray:
    floats = np.array([np.nan if _is_missing(value) else float(value) for value in values], dtype=np.float64)
    if np.isinf(floats).any():
        raise PlotError(f"{argument}= must be finite; give None where there is no value")
    return floats


def _title(asked: Any, side: Side) -> str:
    if isinstance(asked, str):
        return "degree" if side == "node" else "edge size"
    name = getattr(asked, "name", None)
    return label_text(name) if isinstance(name, str) and name else f"{side}s"


# -- colours ------------------------------------------------------------------------------------------------------------


def _rgba(colours: Any) -> FloatArray:
    rgba: FloatArray = mpl("colors").to_rgba_array(colours)
    return rgba


def _one_colour(H: Hypergraph, side: Side, colour: str, argument: str) -> Colours:
    if not mpl("colors").is_color_like(colour):
        raise PlotError(
            f"{argument}={colour!r} is no colour; give a name or '#rrggbb', {_STATISTICS[side]!r}, or values of {side}s"
        )
    count = H.n if side == "node" else H.m
    palette = _rgba([colour])
    return Colours(side, "", np.repeat(palette, count, axis=0), np.zeros(count, dtype=np.int64), palette)


def _by_value(side: Side, title: str, values: FloatArray) -> Colours:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    norm = mpl("colors").Normalize(low, high if high > low else low + 1.0)
    mappable = mpl("cm").ScalarMappable(norm, value_scale())
    each = mappable.to_rgba(np.nan_to_num(values))
    each[np.isnan(values)] = mpl("colors").to_rgba(NO_VALUE)
    return Colours(side, title, each, np.zeros(len(values), dtype=np.int64), _rgba([NO_VALUE]), (), values, mappable)


def _by_class(side: Side, title: str, names: list[str | None]) -> Colours:
    counts = Counter(name for name in names if name is not None)
    palette: list[str]
    classes: tuple[str, ...]
    if counts and all(_is_colour_name(name) for name in counts):
        palette, classes = list(counts), ()
        code_of = {name: code for code, name in enumerate(palette)}
    else:
        frequent = [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
        shown = sorted(frequent[: len(CLASS_COLOURS)], key=_natural)
        palette = list((COLOURS if len(shown) <= len(COLOURS) else CLASS_COLOURS)[: len(shown)])
        classes = tuple(map(label_text, shown))
        code_of = {name: code for code, name in enumerate(shown)}
        if len(frequent) > len(shown):
            palette, classes = [*palette, NO_VALUE], (*classes, f"{len(frequent) - len(shown):,} others")
    if None in names:
        palette = [*palette, NO_VALUE]
        classes = (*classes, "no value") if classes or not counts else classes
    rest = len(palette) - 1
    others = rest - 1 if None in names else rest
    codes = np.array([rest if name is None else code_of.get(name, others) for name in names], dtype=np.int64)
    rgba = _rgba(palette or [NO_VALUE])
    return Colours(side, title, rgba[codes], codes, rgba, classes)


def _is_colour_name(name: str) -> bool:
    """Return whether a string names a colour for certain: matplotlib also takes 'b', '0.5' and 'C1' for colours."""
    if name.startswith("#"):
        return bool(mpl("colors").is_color_like(name))
    return name.lower() in mpl("colors").CSS4_COLORS


def _natural(name: str) -> tuple[Any, ...]:
    """Sort numbers in names by their values."""
    return (0, int(name), "") if name.isascii() and name.isdigit() else (1, 0, name)


# -- keys ---------------------------------------------------------------------------------------------------------------


def _class_key(colours: Colours) -> tuple[str, list[Any]]:
    marker = "o" if colours.side == "node" else "s"
    line = mpl("lines").Line2D
    handles = [
        line([], [], marker=marker, color=tuple(colour), linestyle="", markersize=7, label=name)
        for name, colour in zip(colours.classes, colours.palette, strict=True)
    ]
    return colours.title, handles


def _size_key(sizes: Sizes, ends: tuple[float, float]) -> tuple[str, list[Any]]:
    line = mpl("lines").Line2D
    handles = [
        line([], [], marker="o", color=MUTED, linestyle="", markersize=4.0 * factor, label=f"{value:,g}")
        for value, factor in zip(ends, (float(sizes.factors.min()), _LARGEST), strict=True)
    ]
    return sizes.title, handles
