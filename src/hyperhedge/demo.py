"""The demonstration: a small real hypergraph through every format, every library and the reverse diffusion; and a report.

The data are the women and the social events of Davis, Gardner and Gardner, *Deep South* (1941): who of 18
women attended which of 14 events, the classic example of people who meet in groups.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import Console

from hyperhedge import convert
from hyperhedge.baselines.configuration import HypergraphConfigurationModel
from hyperhedge.datasets import load_dataset
from hyperhedge.errors import MissingDependencyError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io import read, read_collection, write, write_collection
from hyperhedge.io.hif import decode_hif
from hyperhedge.metrics import Report, evaluate
from hyperhedge.summary import summarise

__all__ = ["run_demo", "southern_women"]

NAMES = ("women.hif.json", "women.hif.json.gz", "women.txt", "women.csv", "women.tsv", "women.npz")
COLLECTIONS = ("events.hif.jsonl", "events.npz")

LIBRARIES: dict[str, tuple[Callable[[Hypergraph], Any], Callable[..., Hypergraph]]] = {
    "XGI": (convert.to_xgi, convert.from_xgi),
    "HyperNetX": (convert.to_hypernetx, convert.from_hypernetx),
    "hypergraphx": (convert.to_hypergraphx, convert.from_hypergraphx),
    "NetworkX": (convert.to_networkx, convert.from_networkx),
    "SciPy": (convert.to_scipy, lambda triple: convert.from_scipy(*triple)),
    "pandas": (convert.to_pandas, convert.from_pandas),
    "PyTorch Geometric": (convert.to_pyg, convert.from_pyg),
}


def southern_women() -> Hypergraph:
    """Return the hypergraph of 18 women and 14 events.

    Examples
    --------
    >>> southern_women()
    <Hypergraph: 18 nodes, 14 hyperedges, 89 incidences>
    """
    return decode_hif(files("hyperhedge.examples").joinpath("southern-women.hif.json").read_bytes())


def run_demo(out: Path, console: Console) -> None:
    """Run the demonstration; write its files into ``out``."""
    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    H = southern_women()
    facts = summarise(H)
    console.print(
        f"[bold]Southern women[/bold]: {facts.nodes} women, {facts.hyperedges} events, {facts.incidences} "
        f"attendances; {facts.size.mean:.1f} women an event, {facts.overlapping_pairs} pairs of events that "
        f"share somebody (up to {facts.largest_overlap})."
    )
    written = [_file_round_trip(H, out / name) for name in NAMES]
    halves = [H.subhypergraph(edges=H.edges[:7]), H.subhypergraph(edges=H.edges[7:])]
    written += [_collection_round_trip(halves, out / name) for name in COLLECTIONS]
    (out / "women.svg").write_text(H._repr_svg_(), encoding="utf-8")
    there, missing = _libraries(H)
    shuffled = H.permute(nodes=range(H.n)[::-1], edges=range(H.m)[::-1])
    if not (H.is_isomorphic(shuffled) and H.canonical_hash == shuffled.canonical_hash):
        raise AssertionError("a reordered hypergraph is no longer isomorphic")
    console.print(f"Wrote {len(written)} files to {out}/ and read each back, equal: {', '.join(written)}.")
    console.print(f"Converted to and from {', '.join(there)}, equal; not installed: {', '.join(missing) or 'none'}.")
    console.print(f"Recognised it in another order (canonical hash {H.canonical_hash[:12]}…, isomorphism).")
    count, exact, seen, trained = _reverse_diffusion(H)
    console.print(
        f"Generated {count} hypergraphs from noise in 10 steps, with the exact reverse diffusion over the {trained} hypergraphs "
        f"that leave out one event: {exact} of them are among the {trained}, and {seen} of the {trained} appear."
    )
    report = _judged(out)
    degrees, spectra = report["degree_wd"].ratio, report["edge_spectral_wd"].ratio
    console.print(
        f"Drew {report.counts['train']} synthetic hypergraphs of committees, fitted the configuration model and judged "
        f"its samples: fidelity {report.score:.2f} of 1; degrees are {degrees:.1f} times as far from real ones as real ones "
        f"from each other, spectra of overlaps {spectra:.0f} times (see {out}/report.html)."
    )
    console.print(f"{time.perf_counter() - started:.1f} s. Next: look at {out}/women.svg, or on a file of yours:")
    console.print("  hyperhedge info YOUR.csv", "  hyperhedge convert YOUR.csv yours.hif.json", sep="\n")


def _reverse_diffusion(H: Hypergraph, count: int = 100) -> tuple[int, int, int, int]:
    """Generate with the oracle over the hypergraphs that leave out one event (two events are equal, so 13).

    Returns how many were generated, how many of them are training hypergraphs, how many training hypergraphs
    appear, and how many there are.
    """
    import torch  # a second to import: only where it is used

    from hyperhedge.incidence import Sizes
    from hyperhedge.oracle import Oracle
    from hyperhedge.process import HeatOU
    from hyperhedge.project import threshold
    from hyperhedge.sample import Flow, sample, time_grid
    from hyperhedge.schedule import Cosine

    without = [H.subhypergraph(edges=[e for e in H.edges if e != left_out]) for left_out in H.edges]
    training = list(dict.fromkeys(G.relabel(nodes=range(H.n), edges=range(H.m - 1)) for G in without))
    process = HeatOU(Cosine(1.0), gamma=8.0).with_density_of(training)
    start = process.base_sample(count, H.n, H.m - 1, torch.Generator().manual_seed(0))
    states = sample(Flow(Oracle(process, training)), start, time_grid(1.0, 10, power=1.25))
    found = [G for G in threshold(states, Sizes.all_equal(count, H.n, H.m - 1)) if G in training]
    return count, len(found), len(set(found)), len(training)


def _judged(out: Path) -> Report:
    """Fit the configuration model to a bank of synthetic hypergraphs, and judge what it draws."""
    train, _, test = load_dataset("committee").splits(48, 16, (100, 0, 50))
    new = HypergraphConfigurationModel().fit(train).sample(50, seed=0)
    report = evaluate(test, new, train=train, name="configuration model, on committees")
    report.save(out / "report.html")
    return report


def _file_round_trip(H: Hypergraph, path: Path) -> str:
    write(H, path)
    if read(path) != H:
        raise AssertionError(f"{path} did not come back as it was written")
    return path.name


def _collection_round_trip(collection: list[Hypergraph], path: Path) -> str:
    write_collection(collection, path)
    if read_collection(path) != collection:
        raise AssertionError(f"{path} did not come back as it was written")
    return path.name


def _libraries(H: Hypergraph) -> tuple[list[str], list[str]]:
    """Convert to each library and back; return the installed ones and the others."""
    there, missing = [], []
    for name, (to, back) in LIBRARIES.items():
        try:
            same = back(to(H)) == H
        except MissingDependencyError:
            missing.append(name)
            continue
        if not same:
            raise AssertionError(f"the hypergraph did not come back from {name} as it was")
        there.append(name)
    return there, missing
