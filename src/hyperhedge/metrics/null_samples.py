r"""What the hypergraphs of a significance test are sampled from, and what that means for its p-values.

*When a Monte Carlo p-value is exact.* If :math:`H, X_1, …, X_N` are exchangeable under the null hypothesis, the rank of
:math:`T(H)` among all :math:`N + 1` values is uniform up to ties, and :math:`p = (1 + \#\{T(X_i) \ge T(H)\}) / (N + 1)`
satisfies :math:`P(p \le \alpha) \le \alpha` for every :math:`\alpha`, however small :math:`N` is.

*The configuration model* is sampled by a Markov chain. Chains that all start at :math:`H` are not exchangeable with it:
:math:`H` is in the middle of the star that they form, and every :math:`X_i` is nearer to it than they are to each other. The
p-values are then right only as far as the chains have forgotten :math:`H`. Instead we take the parallel method of J. Besag and
P. Clifford (*Generalized Monte Carlo significance tests*, Biometrika 76(4), 1989): run the chain backwards from :math:`H` to a
*hub*, and then independent chains from the hub, all equally long. If :math:`H` has the stationary law, all :math:`N + 1` ends
are alike, so **the p-values are exact for any number of sweeps**; too few sweeps only cost power, since the samples then
resemble :math:`H`. Both chains of :mod:`hyperhedge.models.configuration` are reversible (a symmetric proposal, and Metropolis's
acceptance), so backwards is forwards and the hub costs one run more. (The serial method of the same paper, one long chain with
:math:`H` at a random position, is exact too, but cannot be run in parallel, and its samples depend on their neighbours.)

*Other models* are fitted to :math:`H` itself, so :math:`X_i` come from an estimate of the null hypothesis (a parametric
bootstrap). The p-values are approximate: usually too large where a statistic depends on what was fitted.

*Samples from elsewhere*, or of a model that was fitted to something else, are taken as they are. Whether they are exchangeable
with :math:`H` under the null hypothesis, only the caller can know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

import numpy as np

from hyperhedge.convert import as_hypergraphs
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError
from hyperhedge.models.base import BaseGenerator, make_model
from hyperhedge.models.configuration import ConfigurationModel, shuffle
from hyperhedge.models.repeats import Repeats, has_repeats

Null: TypeAlias = str | BaseGenerator | Sequence[Hypergraph]

EXACT = "The p-values are exact (Besag and Clifford's parallel method)."
FITTED = "The p-values are approximate: the null model was fitted to the same hypergraph."
ELSEWHERE = (
    "The p-values are exact if, under the null hypothesis, the hypergraph is exchangeable with the null hypergraphs."
)


class NullLaw(Protocol):
    """What null hypergraphs come from."""

    @property
    def description(self) -> str:
        """The law in a few words."""

    @property
    def validity(self) -> str:
        """What the p-values are worth."""

    def share(self, first: int, count: int) -> NullLaw:
        """Return what a worker needs for ``count`` hypergraphs, the first of which has the number ``first``."""

    def draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Return ``count`` hypergraphs."""


@dataclass(frozen=True)
class FromHub:
    """The configuration model of a hypergraph: chains that start where one from it has ended."""

    hub: Hypergraph
    model: ConfigurationModel
    repeats: Repeats

    validity = EXACT

    @classmethod
    def of(cls, H: Hypergraph, model: ConfigurationModel, rng: np.random.Generator) -> FromHub:
        """Run the chain from the hypergraph to the hub."""
        forbidden = model.repeats == "forbid" or (model.repeats == "as-data" and not has_repeats(H))
        repeats: Repeats = "forbid" if forbidden else "allow"
        return cls(_walked(H, model, repeats, rng), model, repeats)

    @property
    def description(self) -> str:
        """The model and its options, also those that have their defaults: which law it is must be said."""
        repeats = f", repeats={self.repeats!r}" if self.repeats == "forbid" else ""
        return f"ConfigurationModel(labelled={self.model.labelled!r}, sweeps={self.model.sweeps}{repeats})"

    def share(self, first: int, count: int) -> Self:
        """Return the law itself: any worker may need all of it."""
        del first, count
        return self

    def draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Run chains from the hub."""
        return [_walked(self.hub, self.model, self.repeats, rng) for _ in range(count)]


def _walked(H: Hypergraph, model: ConfigurationModel, repeats: Repeats, rng: np.random.Generator) -> Hypergraph:
    """Run the chain of a model from a hypergraph."""
    return shuffle(H, labelled=model.labelled, sweeps=model.sweeps, repeats=repeats, seed=rng)


@dataclass(frozen=True)
class FromModel:
    """A fitted model; ``like`` is the hypergraph that it was fitted to for the test, whose labels its samples then carry."""

    model: BaseGenerator
    like: Hypergraph | None = None

    @property
    def validity(self) -> str:
        """What the p-values are worth."""
        return ELSEWHERE if self.like is None else FITTED

    @property
    def description(self) -> str:
        """The model and its options."""
        return repr(self.model)

    def share(self, first: int, count: int) -> Self:
        """Return the law itself: any worker may need all of it."""
        del first, count
        return self

    def draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Sample from the model."""
        drawn = self.model.sample(count, seed=rng)
        return drawn if self.like is None else [_labelled(H, self.like) for H in drawn]


def _labelled(H: Hypergraph, like: Hypergraph) -> Hypergraph:
    return H.relabel(nodes=like.nodes, edges=like.edges) if H.shape == like.shape else H


@dataclass(frozen=True)
class FromList:
    """Hypergraphs that were sampled elsewhere."""

    hypergraphs: list[Hypergraph]

    validity = ELSEWHERE

    @property
    def description(self) -> str:
        """How many there are."""
        return f"{len(self.hypergraphs):,} hypergraphs"

    def share(self, first: int, count: int) -> FromList:
        """Return the hypergraphs with these numbers."""
        return FromList(self.hypergraphs[first : first + count])

    def draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Return the first hypergraphs."""
        del rng
        return self.hypergraphs[:count]


def null_law(H: Hypergraph, null: Null, options: dict[str, Any], rng: np.random.Generator) -> NullLaw:
    """Return what null hypergraphs come from: a model by its name with options, a model, or hypergraphs.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [2, 3]])
    >>> null_law(H, "configuration", {"labelled": "vertex"}, np.random.default_rng(0)).description
    "ConfigurationModel(labelled='vertex', sweeps=100)"
    """
    if isinstance(null, str):
        return _of_model(H, _by_name(null, options), rng)
    if options:
        raise GeneratorError(f"null= has its options already; leave out {next(iter(options))}=")
    if isinstance(null, BaseGenerator):
        return _of_model(H, null, rng)
    hypergraphs = as_hypergraphs(null, "null")
    if not hypergraphs:
        raise GeneratorError("null= is empty; give hypergraphs, a model, or the name of a model")
    return FromList(hypergraphs)


def _by_name(name: str, options: dict[str, Any]) -> BaseGenerator:
    """Make a statistical model by its name; independent incidences are not repaired unless that is asked for."""
    if name == "erdos-renyi":
        options = {"repair": False, **options}
    model = make_model(name, **options)
    if model.fit_options:  # those of a training
        raise GeneratorError(f"null= names {name!r}, a model that is trained; fit it, and give the fitted model")
    return model


def _of_model(H: Hypergraph, model: BaseGenerator, rng: np.random.Generator) -> NullLaw:
    """Fit a model that is not fitted to the hypergraph itself; its own configuration model has a hub."""
    fitted = hasattr(model, "shapes_")
    if isinstance(model, ConfigurationModel) and (not fitted or model.training_ in ([H], [_bare(H)])):
        return FromHub.of(H, model, rng)
    if fitted:
        return FromModel(model)
    fresh = type(model)(**model.get_params())  # a model of the caller is not changed
    return FromModel(fresh.fit([H]), like=H)


def _bare(H: Hypergraph) -> Hypergraph:
    return H.relabel(nodes=range(H.n), edges=range(H.m))
