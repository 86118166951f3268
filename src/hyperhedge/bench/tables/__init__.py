"""The paper's tables from records, in Markdown, with the paper's own numbers beside ours.

Lower is better everywhere; of the gaps, which have a sign, the size counts. In each column the best mean is **bold** and the
second *italic*; equal ones share their place. The floor takes no part. A number in brackets says how many seeds there are if
some are missing; – means that there is none.
"""

from __future__ import annotations

from collections.abc import Callable

from hyperhedge.bench.results import Results
from hyperhedge.bench.tables.ablations import ablation_tables
from hyperhedge.bench.tables.parts import Tables
from hyperhedge.bench.tables.real import real_tables

__all__ = ["TABLES", "Tables", "ablation_tables", "real_tables"]

TABLES: dict[str, Callable[[Results], Tables]] = {"real": real_tables, "ablations": ablation_tables}
"""The tables of each kind of experiment."""
