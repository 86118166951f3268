"""The demonstration: files and libraries on a small real hypergraph, then the main job: learn, generate, judge.

*The main job* is on synthetic hypergraphs of committees, whose subcommittees make overlaps that degrees and sizes do not explain.
A bank of them is drawn, ``Hedge`` is trained, null models are fitted, and the report on all of them is written, with the model, the
samples and the data beside it. What it takes is in :data:`FULL`; :data:`QUICK` is for tests, and teaches nothing.

*The small hypergraph*: the data are the women and the social events of Davis, Gardner and Gardner, *Deep South* (1941): who of 18
women attended which of 14 events, the classic example of people who meet in groups.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console

from hyperhedge import convert
from hyperhedge.baselines.configuration import HypergraphConfigurationModel
from hyperhedge.baselines.erdos_renyi import ErdosRenyi
from hyperhedge.datasets import load_dataset
from hyperhedge.errors import MissingDependencyError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io import read, read_collection, write, write_collection
from hyperhedge.io.hif import decode_hif
from hyperhedge.metrics import Report, evaluate
from hyperhedge.summary import summarise

if TYPE_CHECKING:
    from hyperhedge.hedge import Drawn

__all__ = ["FULL", "QUICK", "Demo", "run_demo", "southern_women"]


@dataclass(frozen=True)
class Demo:
    """What the main job takes: sizes and numbers of hypergraphs, and the arguments of ``Hedge``."""

    nodes: int = 32
    hyperedges: int = 12
    train: int = 1000
    test: int = 100
    generated: int = 100
    model: dict[str, Any] = field(default_factory=dict)


#: About three minutes on two cores.
FULL = Demo(model={"iterations": 1500, "width": 64, "blocks": 3, "max_time": "2m"})

#: A few seconds.
QUICK = Demo(
    nodes=16,
    hyperedges=8,
    train=24,
    test=12,
    generated=12,
    model={"iterations": 12, "width": 16, "channels": 8, "blocks": 1, "steps": 4},
)

#: The seed of the samples. One draw of a hundred is much left to chance; this one is neither lucky nor unlucky.
_DRAW = 2

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


def run_demo(out: Path, console: Console, demo: Demo = FULL) -> None:
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
    report = _learned(out, demo, console)
    scores = [("Hedge", report.score), *((name, null.score) for name, null in report.nulls.items())]
    fidelities = ", ".join(f"{name} {score:.2f}" for name, score in scores if score is not None)
    console.print(
        f"{time.perf_counter() - started:.0f} s. Verdict on Hedge: {report.verdict.sentence} Fidelity of 1: {fidelities}."
    )
    console.print(
        f"Open {out}/report.html in a browser: distributions, a gallery, and how a sample comes out of noise."
    )
    console.print(
        "On a file of yours: hyperhedge data bank YOUR.csv --nodes 32 --edges 12 --count 1000 --out bank.hif.jsonl, then "
        "hyperhedge fit bank.hif.jsonl --preset fast --out model",
        soft_wrap=True,
    )


def _learned(out: Path, demo: Demo, console: Console) -> Report:
    """Draw a bank of committees, learn, generate, judge, and write everything."""
    from hyperhedge.hedge.model import Hedge  # torch takes a second to import: only where it is used

    train, _, test = load_dataset("committee").splits(demo.nodes, demo.hyperedges, (demo.train, 0, demo.test))
    console.print(
        f"Drew {len(train)} hypergraphs of committees to learn from and {len(test)} to judge by "
        f"({demo.nodes} people, {demo.hyperedges} committees each). Hedge learns:"
    )
    model = Hedge(seed=0, **demo.model).fit(train, progress=console)
    drawn = cast("Drawn", model.sample(demo.generated, seed=_DRAW, return_path=True))
    baselines = {"HCM": HypergraphConfigurationModel(), "ER-HG": ErdosRenyi()}
    nulls = {name: baseline.fit(train).sample(demo.generated, seed=_DRAW) for name, baseline in baselines.items()}
    report = evaluate(test, drawn.hypergraphs, train=train, nulls=nulls, name="Hedge on committees")
    report.save(out / "report.html", drawn=drawn, model=model, command=f"hyperhedge demo --out {shlex.quote(str(out))}")
    model.save(out / "model", overwrite=True)
    named = {"train": train, "test": test, "new": drawn.hypergraphs, **{name.lower(): nulls[name] for name in nulls}}
    for name, graphs in named.items():
        write_collection(graphs, out / f"{name}.hif.jsonl")
    console.print(
        f"Wrote {out}/report.html, {out}/model and the hypergraphs: {', '.join(f'{n}.hif.jsonl' for n in named)}."
    )
    return report


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
