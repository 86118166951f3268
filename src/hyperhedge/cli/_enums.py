"""Words that options take, known without importing what they name; tests compare the two."""

from __future__ import annotations

from enum import StrEnum

# Presets of trained models; not every model has all.
Preset = StrEnum("Preset", {"FAST": "fast", "DEFAULT": "default", "BEST": "best", "PUBLISHED": "published"})

# The names in hyperhedge.diffusion.samplers.SAMPLERS, and in hyperhedge.diffusion.projection.PROJECTIONS.
Sampler = StrEnum("Sampler", {"EULER_MARUYAMA": "euler-maruyama", "EXPONENTIAL": "exponential", "FLOW": "flow"})
Projection = StrEnum("Projection", {"THRESHOLD": "threshold", "VALID": "valid", "GIVEN": "given"})

# The names in hyperhedge.plotting.STYLES but compare, which is for collections; positions in the bipartite style.
PlotStyle = StrEnum(
    "PlotStyle", {"HULL": "hull", "BIPARTITE": "bipartite", "INCIDENCE": "incidence", "OVERVIEW": "overview"}
)
BipartiteLayout = StrEnum("BipartiteLayout", {"COLUMNS": "columns", "FORCE": "force"})

# The alternatives of hyperhedge.metrics.null_result.
Alternative = StrEnum("Alternative", {"TWO_SIDED": "two-sided", "GREATER": "greater", "LESS": "less"})
