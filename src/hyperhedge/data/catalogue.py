"""The real datasets: where they are published, what they contain, and how their files are read.

Each is one hypergraph. Upstream's files are used as they are, pinned to a commit; nodes that are in no hyperedge
are kept, since upstream numbers them. One small dataset comes with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.plain_pickle import read_plain_pickle
from hyperhedge.data.store import RemoteFile, Store
from hyperhedge.errors import FormatError
from hyperhedge.io.hif import decode_hif


@dataclass(frozen=True)
class Entry:
    """A real dataset."""

    name: str
    description: str  # what its nodes and hyperedges are
    nodes: int
    hyperedges: int
    files: tuple[RemoteFile, ...]  # none if it comes with the package
    licence: str  # upstream's
    reference: str  # what to cite
    bank_shape: tuple[int, int] | None  # of the subhypergraphs in the paper's benchmark, if it is part of that
    parse: Callable[[Sequence[bytes], int], Hypergraph]  # from the contents of the files and the number of nodes

    @property
    def in_package(self) -> bool:
        """Whether it comes with the package, with nothing to download."""
        return not self.files

    def load(self, store: Store) -> Hypergraph:
        """Read the hypergraph; download its files if need be."""
        contents = [store.read(file) for file in self.files]
        try:
            return self.parse(contents, self.nodes)
        except FormatError as error:
            raise error.at(self.files[0].name if self.files else self.name) from None


def parse_embedded(_contents: Sequence[bytes], _nodes: int) -> Hypergraph:
    """Read the hypergraph that comes with the package."""
    return decode_hif(files("hyperhedge.data").joinpath("southern-women.hif.json").read_bytes())


def parse_pickle(contents: Sequence[bytes], nodes: int) -> Hypergraph:
    """Read a pickled dictionary from hyperedges to their members, which are numbers from 0.

    A node that is listed twice is in the hyperedge once.
    """
    hyperedges = read_plain_pickle(contents[0])
    if not isinstance(hyperedges, dict):
        raise FormatError("this pickle is not a dictionary of hyperedges")
    return Hypergraph({_label(edge): _members(edge, members) for edge, members in hyperedges.items()}, nodes=nodes)


def _label(edge: Any) -> Any:
    """Turn a key into a label; upstream quotes some titles."""
    text = edge.decode("utf-8") if isinstance(edge, bytes) else edge
    if isinstance(text, str) and len(text) > 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def _members(edge: Any, members: Any) -> list[int]:
    if not isinstance(members, list | set | tuple) or not all(type(member) is int for member in members):
        raise FormatError(f"the hyperedge {edge!r} is not a list of whole numbers")
    return list(members)


def parse_lines(contents: Sequence[bytes], nodes: int) -> Hypergraph:
    """Read hyperedges, one per line, as numbers from 1 between commas; and the nodes' names, one per line.

    A name that several nodes share is followed by the node's number.
    """
    lines, names = (content.decode("utf-8").splitlines() for content in contents)
    shared = {name for name, count in Counter(names).items() if count > 1}
    labels = [f"{name} ({k})" if name in shared else name for k, name in enumerate(names, start=1)]
    members = [[number - 1 for number in numbers] for numbers in _numbers(lines)]
    return Hypergraph(members, nodes=nodes).relabel(nodes=labels)


def parse_numbers(contents: Sequence[bytes], nodes: int, *, first: int) -> Hypergraph:
    """Read hyperedges, one per line, as numbers between commas; nodes keep upstream's numbers, from ``first`` on."""
    lines = contents[0].decode("utf-8").splitlines()
    return Hypergraph(_numbers(lines), nodes=range(first, first + nodes))


def _numbers(lines: Sequence[str]) -> list[list[int]]:
    try:
        return [[int(number) for number in line.split(",")] for line in lines]
    except ValueError as error:
        raise FormatError(f"a hyperedge is not a list of whole numbers ({error})") from None


@dataclass(frozen=True)
class _Source:
    """A repository of pickled hypergraphs at one commit."""

    repository: str
    commit: str
    licence: str
    reference: str

    def entry(
        self,
        description: str,
        shape: tuple[int, int],
        folder: str,
        sha256: str,
        size: int,
        bank_shape: tuple[int, int] | None,
        name: str | None = None,
    ) -> Entry:
        """Return the dataset in a folder, which has its name unless another one is given."""
        file = RemoteFile(self.repository, self.commit, f"{folder}/hypergraph.pickle", sha256, size)
        name = name or folder.rpartition("/")[2]
        return Entry(name, description, *shape, (file,), self.licence, self.reference, bank_shape, parse_pickle)


_HYPERGCN = _Source(
    "malllabiisc/HyperGCN",
    "de049387d8d8c9fe6ebab83cb4b49cacfd4ed534",
    "Apache-2.0",
    "N. Yadati, M. Nimishakavi, P. Yadav, V. Nitin, A. Louis and P. Talukdar, HyperGCN: a new method of training "
    "graph convolutional networks on hypergraphs, NeurIPS 2019",
)
_HYPERUFG = _Source(
    "kellysylvia77/HyperUFG",
    "a8ddcf6eb689705801975f483854adf35fccc230",
    "none stated by upstream",
    "M. Li et al., When hypergraph meets heterophily: new benchmark datasets and baseline, AAAI 2025",
)
_MODULARITY = ("PhilChodrow/HypergraphModularity", "f43f6ed7cbe4f774dc9aeccb903547de40475d8b")
_MODULARITY_REFERENCE = (
    "P. S. Chodrow, N. Veldt and A. R. Benson, Generative hypergraph clustering: from blockmodels to modularity, "
    "Science Advances 7, 2021"
)


def _without_repeats(name: str, description: str, shape: tuple[int, int], file: str, sha256: str, size: int) -> Entry:
    """Return one of Benson's datasets, from which upstream has removed repeated hyperedges and those of one node."""
    remote = RemoteFile(
        "young917/www21-hyperlap",
        "a8bbf280898048aa6ebd6ee5ba80ecdb4026610c",
        f"dataset/{file}",
        sha256,
        size,
    )
    return Entry(
        name,
        description,
        *shape,
        (remote,),
        "none stated for the data, which are Benson's; the code of upstream's repository is GPL-3.0",
        "A. R. Benson, R. Abebe, M. T. Schaub, A. Jadbabaie and J. Kleinberg, Simplicial closure and higher-order link "
        "prediction, PNAS 115, 2018",
        None,
        partial(parse_numbers, first=0),
    )


_ENTRIES = (
    _HYPERGCN.entry(
        "co-citation: papers (nodes) that one paper cites (hyperedge)",
        (2_708, 1_579),
        "data/cocitation/cora",
        "49abc7fff72a07de24e50d9d740d5cc63a32a40b2508995c16816fcb2729de80",
        101_905,
        (64, 25),
    ),
    _HYPERGCN.entry(
        "co-citation: papers (nodes) that one paper cites (hyperedge)",
        (3_312, 1_079),
        "data/cocitation/citeseer",
        "b8deecbecef20618d4e23af5b81b1936b36810fc4565ca476353e8a6d7f5884d",
        72_410,
        (64, 25),
    ),
    _HYPERGCN.entry(
        "co-authorship: papers (nodes) of one author (hyperedge)",
        (41_302, 22_363),
        "data/coauthorship/dblp",
        "a8dbbed2041a8c1b836cbc29986ca777128eb9d75f2e006da899a801971f3278",
        750_549,
        (64, 18),
    ),
    _HYPERUFG.entry(
        "co-appearance: actors (nodes) of one film or series (hyperedge)",
        (16_255, 10_164),
        "datasets/actor",
        "581ce085a19e969bfe6e2f55483bd6a6d7c00f1501783cbc1df160528f97bbd6",
        536_649,
        (64, 16),
    ),
    _HYPERUFG.entry(
        "streaming accounts (nodes) that share one date (hyperedge)",
        (16_812, 2_627),
        "datasets/twitch",
        "6dc2c96bd3827e16316b3dfe449c33e3600b11f5074b378e1e20b7730774a33e",
        121_624,
        (64, 16),
    ),
    Entry(
        "house-committees",
        "members of the US House (nodes) on one committee (hyperedge)",
        1_290,
        341,
        (
            RemoteFile(
                *_MODULARITY,
                "data/house-committees/hyperedges-house-committees.txt",
                "d45b8b4532034c78232e6a1abb71b28777818b51035de84c5c14d9de2264432d",
                47_768,
            ),
            RemoteFile(
                *_MODULARITY,
                "data/house-committees/node-names-house-committees.txt",
                "658ef236d3e96727ab33e4ab476e0bb68c8f7afdf61cefc6c28583867e53c88f",
                17_596,
            ),
        ),
        "MIT",
        _MODULARITY_REFERENCE,
        (64, 16),
        parse_lines,
    ),
    Entry(
        "contact-high-school",
        "students (nodes) who stood face to face at one time (hyperedge)",
        327,
        7_818,
        (
            RemoteFile(
                *_MODULARITY,
                "data/contact-high-school-classes/hyperedges-contact-high-school-classes.txt",
                "487d6f265f69706fd926cfbcfaea9eebafab8abc35e4fac574a72544118563b6",
                66_118,
            ),
        ),
        "MIT for upstream's repository; SocioPatterns distributes the contacts under CC BY-NC-SA",
        "R. Mastrandrea, J. Fournet and A. Barrat, Contact patterns in a high school: a comparison between data collected "
        f"using wearable sensors, contact diaries and friendship surveys, PLoS ONE 10, 2015; {_MODULARITY_REFERENCE}",
        None,
        partial(parse_numbers, first=1),
    ),
    _without_repeats(
        "email-enron",
        "addresses at Enron (nodes) that sent or received one e-mail (hyperedge)",
        (143, 1_459),
        "email-Enron-full_graph.txt",
        "36e68ab3a988911a918d8ae498034d2b29ebe630a0dedb753509a6a56fa24ae9",
        13_896,
    ),
    _without_repeats(
        "ndc-classes",
        "classes (nodes) of one drug (hyperedge) in the National Drug Code Directory",
        (1_149, 1_049),
        "NDC-classes-full_graph.txt",
        "642e2ae1f0907862e9b62cb583f4006c05515745da0d8b4acc1287dbd7c0a87e",
        22_477,
    ),
    _without_repeats(
        "tags-ubuntu",
        "tags (nodes) of one question (hyperedge) on askubuntu.com",
        (3_021, 145_053),
        "tags-ubuntu_graph.txt",
        "d44c947ba0e543dd00e46558a6d7f9822c1eb569709fa275129b29f3d8a5ba24",
        2_010_167,
    ),
    _HYPERGCN.entry(
        "co-authorship: papers (nodes) of one author (hyperedge)",
        (2_708, 1_072),
        "data/coauthorship/cora",
        "777d661210bdd122a4ce25284e07c6368e875a28122e75dca912c631db0935f6",
        37_783,
        None,
        "cora-coauthorship",
    ),
    Entry(
        "southern-women",
        "women (nodes) at one social event (hyperedge)",
        18,
        14,
        (),
        "facts of 1941, free to use",
        "A. Davis, B. B. Gardner and M. R. Gardner, Deep South, University of Chicago Press, 1941",
        None,
        parse_embedded,
    ),
)

CATALOGUE = {entry.name: entry for entry in _ENTRIES}
"""The real datasets by name."""
