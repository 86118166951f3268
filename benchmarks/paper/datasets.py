"""What the paper says of its datasets, for comparison with ours."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.optimize import brentq

__all__ = ["DATASETS", "PaperDataset", "implied_degree"]


@dataclass(frozen=True)
class PaperDataset:
    """A row of Table 3 (``tab:real-dataset-stats``), the size of its subhypergraphs, and ER-HG's Δk (Table 6).

    The size is not printed: HYGENE's rows of Δe / Δρ and Δk / Δρ give it.
    """

    title: str
    nodes: int
    hyperedges: int
    mean_size: float
    mean_degree: float
    bank_nodes: int
    bank_hyperedges: int
    er_degree_gap: float


DATASETS = {
    "cora": PaperDataset("Cora", 2_708, 1_579, 3.03, 1.77, 64, 25, 0.432),
    "citeseer": PaperDataset("CiteSeer", 3_312, 1_079, 3.20, 1.04, 64, 25, 0.404),
    "actor": PaperDataset("Actor", 16_255, 10_164, 5.43, 3.40, 64, 16, 0.364),
    "house-committees": PaperDataset("House-Committees", 1_290, 340, 34.73, 9.18, 64, 16, 0.185),
    "dblp": PaperDataset("DBLP", 41_302, 22_363, 4.45, 2.41, 64, 18, 0.371),
    "twitch": PaperDataset("Twitch", 16_812, 2_627, 6.23, 0.97, 64, 16, 0.345),
}


def implied_degree(dataset: PaperDataset) -> float:
    """Return the mean degree of the paper's banks that ER-HG's Δk implies.

    ER-HG has the right density before each isolated node is given one hyperedge. The share of isolated nodes, and so
    the gap, is Δk = (1 − k/m)^m.

    Examples
    --------
    >>> round(implied_degree(DATASETS["house-committees"]), 2)
    1.6
    """
    m = dataset.bank_hyperedges
    return float(brentq(lambda k: (1 - k / m) ** m - dataset.er_degree_gap, 0.0, m))
