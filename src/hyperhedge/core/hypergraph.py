r"""The hypergraph: nodes, a multiset of hyperedges, and their incidence matrix.

A hypergraph has nodes :math:`v = 0, …, n-1` and hyperedges :math:`e = 0, …, m-1`; its incidence matrix

.. math:: H \in \{0, 1\}^{n \times m}, \qquad H_{v,e} = 1 \iff v \in e

has the degrees :math:`d_V = H \mathbf 1_m` as row sums and the hyperedge sizes
:math:`d_E = H^\top \mathbf 1_n` as column sums, and :math:`(H^\top H)_{jk} = |e_j \cap e_k|`.

It is stored by hyperedge: the members of hyperedge ``e`` are
``indices[indptr[e]:indptr[e + 1]]``, ascending. As in real data, hyperedges may repeat (they form a
multiset) or be empty, and nodes may be isolated. Nothing changes after construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Literal, Self, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from hyperhedge.core import _repr, _validate, canonical
from hyperhedge.core.labels import Label, Labels, as_labels, label_index
from hyperhedge.errors import HypergraphError
from hyperhedge.typing import BoolArray, IntArray


class Hypergraph:
    """An immutable hypergraph: labelled nodes and a multiset of labelled hyperedges.

    ``len(H)`` is the number of hyperedges, iteration goes over the hyperedges as tuples of node labels, and
    ``label in H`` is true if a node has this label. A hypergraph is always true, even without hyperedges, so
    ``if H:`` asks only whether there is one.

    Parameters
    ----------
    hyperedges
        The members of each hyperedge, as lists or sets of node labels; a mapping from hyperedge labels to members;
        or another hypergraph, whose labels are then the default. A node that is listed twice in a hyperedge is in it
        once.
    nodes
        All node labels, in order, or their number (labels ``0, 1, …``). By default, the nodes are
        those that the hyperedges name: in ascending order if they are all integers, otherwise in order
        of first appearance.
    edges
        The hyperedge labels; ``0, 1, …`` by default.

    Examples
    --------
    >>> names = ["ann", "bo", "cy", "di", "ed"]
    >>> H = Hypergraph([["ann", "bo"], ["bo", "cy", "di"], ["bo", "ann"]], nodes=names)
    >>> H
    <Hypergraph: 5 nodes, 3 hyperedges, 7 incidences>
    >>> len(H), "bo" in H, list(H)[1]
    (3, True, ('bo', 'cy', 'di'))
    >>> H.degrees
    array([2, 3, 1, 1, 0])
    >>> H.edge_sizes
    array([2, 3, 2])
    >>> H.incidence.toarray()
    array([[1, 0, 1],
           [1, 1, 1],
           [0, 1, 0],
           [0, 1, 0],
           [0, 0, 0]])
    >>> H.overlaps.toarray()
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]])
    """

    __slots__ = ("__weakref__", "_cache", "_edges", "_indices", "_indptr", "_nodes")

    _indptr: IntArray
    _indices: IntArray
    _nodes: Labels
    _edges: Labels
    _cache: dict[str, Any]

    # -- construction --------------------------------------------------------------------------------

    def __init__(
        self,
        hyperedges: Iterable[Iterable[Label]] | Mapping[Label, Iterable[Label]] = (),
        *,
        nodes: Iterable[Label] | int | None = None,
        edges: Iterable[Label] | None = None,
    ) -> None:
        if isinstance(hyperedges, Mapping):
            if edges is not None:
                raise HypergraphError("the keys of a mapping are the hyperedge labels; leave edges= out")
            edges, hyperedges = list(hyperedges), hyperedges.values()
        elif isinstance(hyperedges, Hypergraph):
            nodes = hyperedges.nodes if nodes is None else nodes
            edges = hyperedges.edges if edges is None else edges
        members = [_validate.member_list(edge, j) for j, edge in enumerate(hyperedges)]
        flat = list(chain.from_iterable(members))
        node_labels = _validate.side_labels(nodes, flat)
        edge_labels = as_labels(range(len(members)) if edges is None else edges, "hyperedge")
        if len(edge_labels) != len(members):
            raise HypergraphError(f"edges= must have {len(members)} labels, not {len(edge_labels)}")
        edge_ids = np.repeat(np.arange(len(members)), [len(edge) for edge in members])
        self._fill(_validate.look_up(flat, node_labels, "node"), edge_ids, node_labels, edge_labels)

    def _fill(self, node_ids: IntArray, edge_ids: IntArray, nodes: Labels, edges: Labels) -> None:
        """Store incidences, sorted by hyperedge and node and without repeats, read-only."""
        keys = edge_ids * np.int64(max(len(nodes), 1)) + node_ids
        if not (keys[1:] > keys[:-1]).all():
            keys = np.unique(keys)
            edge_ids, node_ids = np.divmod(keys, max(len(nodes), 1))
        indptr = np.zeros(len(edges) + 1, dtype=np.int64)
        np.cumsum(np.bincount(edge_ids, minlength=len(edges)), out=indptr[1:])
        self._indptr = _validate.frozen(indptr)
        self._indices = _validate.frozen(node_ids)
        self._nodes = nodes
        self._edges = edges
        self._cache = {}

    @classmethod
    def from_indices(
        cls,
        node_ids: ArrayLike,
        edge_ids: ArrayLike,
        *,
        nodes: Iterable[Label] | int,
        edges: Iterable[Label] | int,
    ) -> Self:
        """Build from incidences as positions: node ``node_ids[k]`` is in hyperedge ``edge_ids[k]``.

        ``nodes`` and ``edges`` are the labels, in order, or their number.

        Examples
        --------
        >>> H = Hypergraph.from_indices([0, 1, 1], [0, 0, 1], nodes=["a", "b", "c"], edges=2)
        >>> H.hyperedges
        (('a', 'b'), ('b',))
        """
        node_labels = _validate.declared_labels(nodes, "node")
        edge_labels = _validate.declared_labels(edges, "hyperedge")
        rows = _validate.positions(node_ids, len(node_labels), "node_ids")
        columns = _validate.positions(edge_ids, len(edge_labels), "edge_ids")
        if len(rows) != len(columns):
            raise HypergraphError(f"node_ids has {len(rows)} entries and edge_ids {len(columns)}; give as many of both")
        new = cls.__new__(cls)
        new._fill(rows, columns, node_labels, edge_labels)
        return new

    @classmethod
    def from_incidence(
        cls,
        matrix: Any,
        *,
        nodes: Iterable[Label] | None = None,
        edges: Iterable[Label] | None = None,
    ) -> Self:
        """Build from an incidence matrix, nodes × hyperedges, dense or scipy sparse, of 0 and 1.

        Examples
        --------
        >>> Hypergraph.from_incidence([[1, 0], [1, 1], [0, 0]]).hyperedges
        ((0, 1), (1,))
        """
        entries = _validate.binary_coordinates(matrix)
        n, m = entries.shape
        new = cls.from_indices(entries.row, entries.col, nodes=n, edges=m)
        return new.relabel(nodes=nodes, edges=edges)

    @classmethod
    def from_bipartite_edges(
        cls,
        pairs: Iterable[tuple[Label, Label]],
        *,
        nodes: Iterable[Label] | int | None = None,
        edges: Iterable[Label] | int | None = None,
    ) -> Self:
        """Build from pairs of a node label and a hyperedge label.

        ``nodes`` and ``edges`` are all labels, in order, including isolated nodes and empty hyperedges; by
        default, those of the pairs.

        Examples
        --------
        >>> H = Hypergraph.from_bipartite_edges([("a", "x"), ("b", "x"), ("b", "y")])
        >>> dict(zip(H.edges, H.hyperedges))
        {'x': ('a', 'b'), 'y': ('b',)}
        """
        pairs = list(pairs)
        node_column = [node for node, _ in pairs]
        edge_column = [edge for _, edge in pairs]
        node_labels = _validate.side_labels(nodes, node_column)
        edge_labels = _validate.side_labels(edges, edge_column, "hyperedge")
        return cls.from_indices(
            _validate.look_up(node_column, node_labels, "node"),
            _validate.look_up(edge_column, edge_labels, "hyperedge"),
            nodes=node_labels,
            edges=edge_labels,
        )

    # -- its properties ------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of nodes."""
        return len(self._nodes)

    @property
    def m(self) -> int:
        """The number of hyperedges, repeats counted."""
        return len(self._edges)

    @property
    def num_nodes(self) -> int:
        """The number of nodes, :attr:`n`."""
        return self.n

    @property
    def num_edges(self) -> int:
        """The number of hyperedges, :attr:`m`."""
        return self.m

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of nodes and hyperedges, ``(n, m)``: the shape of the incidence matrix."""
        return self.n, self.m

    @property
    def num_incidences(self) -> int:
        """The number of incidences, the ones in the incidence matrix."""
        return len(self._indices)

    @property
    def nodes(self) -> Labels:
        """The node labels, in the order of the incidence matrix's rows."""
        return self._nodes

    @property
    def edges(self) -> Labels:
        """The hyperedge labels, in the order of the incidence matrix's columns."""
        return self._edges

    @property
    def indptr(self) -> IntArray:
        """Where each hyperedge's members begin in :attr:`indices`; length ``m + 1``, read-only."""
        return self._indptr

    @property
    def indices(self) -> IntArray:
        """The members of all hyperedges in turn, as node positions; read-only."""
        return self._indices

    @property
    def edge_indices(self) -> IntArray:
        """The hyperedge position of each entry of :attr:`indices`."""
        return np.repeat(np.arange(self.m), self.edge_sizes)

    @property
    def incidence(self) -> sp.csr_array:
        """The incidence matrix :math:`H`, ``n × m``, of integers; a fresh copy each time."""
        ones = np.ones(self.num_incidences, dtype=np.int64)
        by_edge = sp.csc_array((ones, self._indices, self._indptr), shape=(self.n, self.m))
        return by_edge.tocsr()

    @property
    def degrees(self) -> IntArray:
        """The number of hyperedges that each node is in."""
        return np.bincount(self._indices, minlength=self.n)

    @property
    def edge_sizes(self) -> IntArray:
        """The number of members of each hyperedge."""
        return np.diff(self._indptr)

    @property
    def overlaps(self) -> sp.csr_array:
        r"""The number of nodes that two hyperedges share: :math:`H^\top H` without its diagonal, ``m × m``."""
        H = self.incidence
        shared = sp.coo_array(H.T @ H)
        off_diagonal = shared.row != shared.col
        entries = (shared.data[off_diagonal], (shared.row[off_diagonal], shared.col[off_diagonal]))
        return sp.csr_array(entries, shape=(self.m, self.m))

    @property
    def density(self) -> float:
        """The fraction of ones in the incidence matrix; 0 if it has no entries."""
        return self.num_incidences / (self.n * self.m) if self.n and self.m else 0.0

    @property
    def hyperedges(self) -> tuple[tuple[Label, ...], ...]:
        """The members of each hyperedge, as labels."""
        labels = [self._nodes[i] for i in self._indices.tolist()]
        return tuple(tuple(labels[start:stop]) for start, stop in pairwise(self._indptr.tolist()))

    def members(self, edge: Label) -> tuple[Label, ...]:
        """Return the members of one hyperedge.

        Examples
        --------
        >>> Hypergraph({"x": [1, 2], "y": [2]}).members("x")
        (1, 2)
        """
        j = self._position(edge, "hyperedge")
        return tuple(self._nodes[i] for i in self._indices[self._indptr[j] : self._indptr[j + 1]])

    def memberships(self, node: Label) -> tuple[Label, ...]:
        """Return the hyperedges that one node is in.

        Examples
        --------
        >>> Hypergraph({"x": [1, 2], "y": [2]}).memberships(2)
        ('x', 'y')
        """
        i = self._position(node, "node")
        columns = np.searchsorted(self._indptr, np.flatnonzero(self._indices == i), side="right") - 1
        return tuple(self._edges[j] for j in columns)

    def __len__(self) -> int:
        return self.m

    def __iter__(self) -> Iterator[tuple[Label, ...]]:
        return iter(self.hyperedges)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, str | int | np.integer) and not isinstance(node, bool) and node in self._index("node")

    def __bool__(self) -> Literal[True]:
        return True

    # -- other hypergraphs made from it --------------------------------------------------------------

    def relabel(self, *, nodes: Iterable[Label] | None = None, edges: Iterable[Label] | None = None) -> Self:
        """Return the same hypergraph with other labels, listed in order.

        Examples
        --------
        >>> Hypergraph([[0, 1]]).relabel(nodes=["a", "b"], edges=["e"]).members("e")
        ('a', 'b')
        """
        new_nodes = self._nodes if nodes is None else as_labels(nodes, "node")
        new_edges = self._edges if edges is None else as_labels(edges, "hyperedge")
        for name, labels, count in (("nodes", new_nodes, self.n), ("edges", new_edges, self.m)):
            if len(labels) != count:
                raise HypergraphError(f"{name}= must have {count} labels, not {len(labels)}")
        return self._with(self._indptr, self._indices, new_nodes, new_edges)

    def permute(
        self,
        *,
        nodes: Sequence[int] | IntArray | None = None,
        edges: Sequence[int] | IntArray | None = None,
    ) -> Self:
        """Reorder nodes and hyperedges: row ``i`` of the result is row ``nodes[i]`` of this one.

        Labels move with their nodes and hyperedges.

        Examples
        --------
        >>> H = Hypergraph([["a"], ["a", "b"]])
        >>> P = H.permute(nodes=[1, 0], edges=[1, 0])
        >>> P.nodes, P.edges, P.incidence.toarray().tolist()
        (('b', 'a'), (1, 0), [[1, 0], [1, 1]])
        """
        rows = _validate.permutation(nodes, self.n, "nodes")
        columns = _validate.permutation(edges, self.m, "edges")
        row_of, column_of = np.argsort(rows), np.argsort(columns)
        return type(self).from_indices(
            row_of[self._indices],
            column_of[self.edge_indices],
            nodes=[self._nodes[i] for i in rows],
            edges=[self._edges[j] for j in columns],
        )

    def subhypergraph(
        self,
        nodes: Iterable[Label] | None = None,
        edges: Iterable[Label] | None = None,
        *,
        keep: Literal["restricted", "inside"] = "restricted",
        drop_empty: bool = False,
    ) -> Self:
        """Return the hypergraph that some nodes and some hyperedges induce, in this one's order.

        Parameters
        ----------
        nodes, edges
            Labels; by default all of them.
        keep
            ``"restricted"`` cuts each hyperedge down to these nodes (the submatrix of the incidence
            matrix); ``"inside"`` keeps only the hyperedges that lie entirely within them.
        drop_empty
            Drop hyperedges without members.

        Examples
        --------
        >>> H = Hypergraph([["a", "b"], ["b", "c"], ["c"]])
        >>> H.subhypergraph(["a", "b"]).hyperedges
        (('a', 'b'), ('b',), ())
        >>> H.subhypergraph(["a", "b"], keep="inside").hyperedges
        (('a', 'b'),)
        """
        if keep not in ("restricted", "inside"):
            raise HypergraphError(f"keep= must be 'restricted' or 'inside', not {keep!r}")
        rows = self._mask(nodes, "node")
        columns = self._mask(edges, "hyperedge")
        edge_indices = self.edge_indices
        row_selected = rows[self._indices]
        new_sizes = np.bincount(edge_indices[row_selected], minlength=self.m)
        if keep == "inside":
            columns &= new_sizes == self.edge_sizes
        if drop_empty:
            columns &= new_sizes > 0
        selected = row_selected & columns[edge_indices]
        return type(self).from_indices(
            (np.cumsum(rows) - 1)[self._indices[selected]],
            (np.cumsum(columns) - 1)[edge_indices[selected]],
            nodes=[self._nodes[i] for i in np.flatnonzero(rows)],
            edges=[self._edges[j] for j in np.flatnonzero(columns)],
        )

    def dual(self) -> Self:
        """Exchange nodes and hyperedges: the incidence matrix is transposed."""
        return type(self).from_indices(self.edge_indices, self._indices, nodes=self._edges, edges=self._nodes)

    # -- comparison ----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Compare labels, their order and all incidences."""
        if not isinstance(other, Hypergraph):
            return NotImplemented
        return (
            self._nodes == other._nodes
            and self._edges == other._edges
            and np.array_equal(self._indptr, other._indptr)
            and np.array_equal(self._indices, other._indices)
        )

    def __hash__(self) -> int:
        if "hash" not in self._cache:
            arrays = (self._indptr.tobytes(), self._indices.tobytes())
            self._cache["hash"] = hash((self._nodes, self._edges, *arrays))
        return int(self._cache["hash"])

    def equals_up_to_order(self, other: Hypergraph) -> bool:
        """Return whether both have the same labelled nodes and hyperedges, in any order.

        Examples
        --------
        >>> H = Hypergraph({"x": ["a", "b"], "y": ["b"]})
        >>> H.equals_up_to_order(Hypergraph({"y": ["b"], "x": ["b", "a"]}))
        True
        """
        return self._sorted() == other._sorted()

    def _sorted(self) -> Self:
        """Order nodes and hyperedges by label (integers before strings)."""
        return self.permute(nodes=_validate.label_order(self._nodes), edges=_validate.label_order(self._edges))

    @property
    def canonical_hash(self) -> str:
        """A hash that does not depend on labels or order (colour refinement).

        Isomorphic hypergraphs have the same hash. Others almost always have different ones; the
        exceptions, such as some regular hypergraphs, are told apart by :meth:`is_isomorphic`.

        Examples
        --------
        >>> H = Hypergraph([["a", "b"], ["b", "c", "d"]])
        >>> H.canonical_hash == H.permute(nodes=[3, 1, 0, 2], edges=[1, 0]).canonical_hash
        True
        >>> H.canonical_hash == Hypergraph([["a", "b"], ["c", "d"]]).canonical_hash
        False
        """
        if "canonical" not in self._cache:
            self._cache["canonical"] = canonical.canonical_hash(self._bipartite())
        return str(self._cache["canonical"])

    def is_isomorphic(self, other: Hypergraph) -> bool:
        """Return whether some reordering of nodes and hyperedges makes the incidences equal.

        The answer is exact: by colour refinement where it tells all nodes apart, which is fast, and
        by search (networkx's VF2++) elsewhere.

        Examples
        --------
        >>> Hypergraph([[0, 1], [1, 2]]).is_isomorphic(Hypergraph([["x", "z"], ["z", "y"]]))
        True
        """
        return canonical.are_isomorphic(self._bipartite(), other._bipartite())

    def _bipartite(self) -> canonical.Bipartite:
        return canonical.Bipartite(self.n, self.m, self._indices, self.edge_indices)

    # -- in a notebook -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"<Hypergraph: {_repr.count(self.n, 'node')}, {_repr.count(self.m, 'hyperedge')}, "
            f"{_repr.count(self.num_incidences, 'incidence')}>"
        )

    def _repr_html_(self) -> str:
        """Show the counts and the incidence matrix in a notebook."""
        return _repr.html(repr(self), self._picture(), self.degrees, self.edge_sizes)

    def _repr_svg_(self) -> str:
        """Show the incidence matrix where only images can be shown."""
        return _repr.svg(self._picture())

    def _picture(self) -> _repr.Picture:
        return _repr.Picture(self._nodes, self._edges, self._indices, self.edge_indices)

    # -- internals -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._indptr, self._indices, self._nodes, self._edges)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def _with(self, indptr: IntArray, indices: IntArray, nodes: Labels, edges: Labels) -> Self:
        new = type(self).__new__(type(self))
        new._indptr, new._indices = indptr, indices
        new._nodes, new._edges, new._cache = nodes, edges, {}
        return new

    def _index(self, kind: str) -> dict[Label, int]:
        """Return the position of each label of one kind, ``"node"`` or ``"hyperedge"``."""
        key = f"{kind} index"
        if key not in self._cache:
            self._cache[key] = label_index(self._nodes if kind == "node" else self._edges)
        return cast("dict[Label, int]", self._cache[key])

    def _position(self, label: Label, kind: str) -> int:
        index = self._index(kind)
        if label not in index or isinstance(label, bool):
            raise HypergraphError(f"there is no {kind} labelled {label!r}")
        return index[label]

    def _mask(self, labels: Iterable[Label] | None, kind: str) -> BoolArray:
        """Mark the positions of some labels; all of them if None."""
        count = self.n if kind == "node" else self.m
        if labels is None:
            return np.ones(count, dtype=bool)
        mask = np.zeros(count, dtype=bool)
        mask[[self._position(label, kind) for label in labels]] = True
        return mask


def _rebuild(cls: type[Hypergraph], indptr: IntArray, indices: IntArray, nodes: Labels, edges: Labels) -> Hypergraph:
    """Restore a hypergraph from what :meth:`Hypergraph.__reduce__` stored."""
    edge_ids = np.repeat(np.arange(len(edges)), np.diff(indptr))
    return cls.from_indices(indices, edge_ids, nodes=nodes, edges=edges)
