"""Words that options take, known without importing what they name; tests compare the two."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BipartiteLayout", "PlotStyle", "Preset", "Projection", "Sampler"]


class Preset(StrEnum):
    """The names of presets of trained models; not every model has all."""

    FAST = "fast"
    DEFAULT = "default"
    BEST = "best"
    PUBLISHED = "published"


class Sampler(StrEnum):
    """The names in :data:`hyperhedge.diffusion.samplers.SAMPLERS`."""

    EULER_MARUYAMA = "euler-maruyama"
    EXPONENTIAL = "exponential"
    FLOW = "flow"


class Projection(StrEnum):
    """The names in :data:`hyperhedge.diffusion.projection.PROJECTIONS`."""

    THRESHOLD = "threshold"
    VALID = "valid"
    GIVEN = "given"


class PlotStyle(StrEnum):
    """The names in :data:`hyperhedge.plotting.STYLES` but ``compare``, which is for collections."""

    HULL = "hull"
    BIPARTITE = "bipartite"
    INCIDENCE = "incidence"


class BipartiteLayout(StrEnum):
    """Positions of nodes and hyperedges in the bipartite style."""

    COLUMNS = "columns"
    FORCE = "force"
