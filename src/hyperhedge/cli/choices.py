"""Words that options take, known without importing what they name (the tests compare them with that)."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BipartiteLayout", "DrawingStyle", "Preset", "Projection", "Sampler"]


class Preset(StrEnum):
    """The names in the presets of learned models; not every model has all."""

    FAST = "fast"
    DEFAULT = "default"
    BEST = "best"
    PUBLISHED = "published"


class Sampler(StrEnum):
    """The names in :data:`hyperhedge.sample.SAMPLERS`."""

    EULER_MARUYAMA = "euler-maruyama"
    EXPONENTIAL = "exponential"
    FLOW = "flow"


class Projection(StrEnum):
    """The names in :data:`hyperhedge.project.PROJECTIONS`."""

    THRESHOLD = "threshold"
    VALID = "valid"
    GIVEN = "given"


class DrawingStyle(StrEnum):
    """The names in :data:`hyperhedge.plot.STYLES`, but for ``compare``, which a collection is."""

    HULL = "hull"
    BIPARTITE = "bipartite"
    INCIDENCE = "incidence"


class BipartiteLayout(StrEnum):
    """Where the bipartite style puts nodes and hyperedges."""

    COLUMNS = "columns"
    FORCE = "force"
