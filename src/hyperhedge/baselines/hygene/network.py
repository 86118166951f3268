r"""The network: embeddings of the coarser scale, and local message passing on the finer one.

*SignNet* (D. Lim et al., *Sign and basis invariant networks*, ICLR 2023). Eigenvectors are known up to sign, so

.. math:: z = \rho\bigl( [\phi(\lambda_i, x_i) + \phi(\lambda_i, -x_i)]_{i \le k} \bigr)

with :math:`\phi` a graph isomorphism network on the bipartite graph of the coarser scale and :math:`\rho` a perceptron. Children
have the embedding of their parent.

*Local PPGN* (A. Bergmeister et al., *Efficient and scalable graph generation through iterative local expansion*, ICLR 2024). A PPGN
multiplies matrices of features, :math:`(M^1 M^2)_{st} = \sum_u M^1_{su} M^2_{ut}`; the local one only over triangles
:math:`(s, u, t)` all of whose sides are edges or loops. A bipartite graph has no triangle without a loop, so that for an incidence
:math:`c = (v, e)`, and loops at :math:`v` and :math:`e`, what remains is

.. math::
    m_c = \tfrac{1}{\sqrt 2} \bigl( a_v b_c + a_c b_e \bigr), \qquad
    m_v = \frac{a_v b_v + \sum_{c \ni v} a_c b_c}{\sqrt{1 + \deg v}}, \qquad
    m_e = \frac{a_e b_e + \sum_{c \ni e} a_c b_c}{\sqrt{1 + \deg e}} ,

where :math:`a` and :math:`b - 1` are perceptrons of the features :math:`x`, so that messages pass from the beginning, and
:math:`x \leftarrow x + \text{MLP}(x, m, g)` with :math:`g` what the whole hypergraph is told.

*Sizes.* All parts of a hypergraph are told the noise level, the target size and the shrinkage of the next scale; if hyperedges are
counted too (``counts_edges``), also the target number of these and how much of both is there already.

*Candidates* know the embeddings of their two parents and, if they are marked (``marks_joined``), whether these are joined. The
public network has to find this out from the embeddings.

*Siblings* (``siblings``) see each other: children of one parent, and candidates that differ only in which child of a node, or of a
hyperedge, they join. What one of them takes the other need not, and over the whole hyperedge's messages this is hard to learn.

The network is equivariant: relabelled nodes and hyperedges relabel what it returns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from hyperhedge.baselines.hygene.union import Union

__all__ = ["Network", "SignNet", "Values"]


class Values(NamedTuple):
    """A number, or features, at each node, hyperedge and candidate."""

    nodes: Tensor
    edges: Tensor
    incidences: Tensor


def _mlp(before: int, *widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in widths:
        layers += [nn.Linear(before, width), nn.LayerNorm(width), nn.ReLU()]
        before = width
    return nn.Sequential(*layers)


class SignNet(nn.Module):
    """Embeddings of nodes and hyperedges that do not depend on the signs of eigenvectors."""

    def __init__(self, count: int, hidden: int, out: int, layers: int) -> None:
        super().__init__()
        self.inward = nn.Linear(2, hidden)
        self.layers = nn.ModuleList([_mlp(hidden, hidden, hidden) for _ in range(layers)])
        self.own = nn.Parameter(torch.zeros(layers))
        self.skip = nn.Linear(hidden * (layers + 1), hidden)
        self.merge = nn.Sequential(_mlp(count * hidden, hidden, hidden), nn.Linear(hidden, out))

    def forward(self, union: Union) -> tuple[Tensor, Tensor]:
        """Return the embeddings of the coarser scale's nodes and hyperedges."""
        vectors = torch.cat([union.node_features, union.edge_features])
        values = torch.cat([union.node_values, union.edge_values])
        n = len(union.node_features)
        ends = torch.cat([union.coarse_v, union.coarse_e + n]), torch.cat([union.coarse_e + n, union.coarse_v])
        signed = torch.stack([vectors, -vectors])
        x = self.inward(torch.stack([values.expand_as(signed), signed], dim=-1)).transpose(
            0, 1
        )  # (n + m, 2, k, hidden)
        found = [x]
        for layer, own in zip(self.layers, self.own, strict=True):
            x = layer(torch.index_add((1 + own) * x, 0, ends[1], x[ends[0]]))
            found.append(x)
        both = self.skip(torch.cat(found, dim=-1)).sum(1)
        embedded = self.merge(both.flatten(1))
        return embedded[:n], embedded[n:]


class _Layer(nn.Module):
    """One round of messages."""

    def __init__(self, hidden: int, width: int, *, siblings: bool) -> None:
        super().__init__()
        self.siblings = siblings
        self.a, self.b = (nn.Sequential(_mlp(hidden, hidden), nn.Linear(hidden, width)) for _ in range(2))
        self.inner, self.outer = nn.Linear(hidden + width * (3 if siblings else 1), hidden), nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)

    def forward(
        self, x: Tensor, ends: tuple[Tensor, Tensor], scale: Tensor, told: Tensor, families: tuple[Tensor, Tensor]
    ) -> Tensor:
        """Take features of nodes and hyperedges, then incidences, and return new ones.

        ``ends`` are places in the former; ``families`` are groups of all places.
        """
        a, b = self.a(x), 1 + self.b(x)
        own = len(x) - len(ends[0])
        at_v, at_e = ends
        products = a[own:] * b[own:]
        m_own = a[:own] * b[:own]
        m_own = m_own.index_add(0, at_v, products).index_add(0, at_e, products)
        m_c = a[at_v] * b[own:] + a[own:] * b[at_e]
        m = torch.cat([m_own, m_c]) * scale
        if self.siblings:
            m = torch.cat([m, *(_others(a, family) for family in families)], dim=1)
        return self.updated(x, m, told)

    def updated(self, x: Tensor, m: Tensor, told: Tensor) -> Tensor:
        """Take in what has arrived."""
        inner = torch.relu(self.norm(self.inner(torch.cat([x, m], dim=1)) + told))
        found: Tensor = x + self.outer(inner)
        return found


class Network(nn.Module):
    """A network that predicts three kinds of numbers at once: of nodes, hyperedges and candidate incidences.

    Parameters
    ----------
    eigenvectors
        How many each node and hyperedge of the coarser scale has.
    embedding, hidden, width, layers
        The features of embeddings, those of the message passing and of its products, and how many rounds there are.
    sign_hidden, sign_layers
        Those of SignNet.
    counts_edges
        Whether the target number of hyperedges is given.
    marks_joined
        Whether a candidate is told if its parents are joined.
    siblings
        Whether siblings see each other.
    dropout
        The probability with which features are left out in training, before the first and the last layer.
    """

    def __init__(
        self,
        *,
        eigenvectors: int,
        embedding: int,
        hidden: int,
        width: int,
        layers: int,
        sign_hidden: int,
        sign_layers: int,
        counts_edges: bool,
        marks_joined: bool,
        siblings: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.counts_edges, self.marks_joined = counts_edges, marks_joined
        self.embedding, self.dropout = embedding, dropout
        self.sign_net = SignNet(eigenvectors, sign_hidden, embedding, sign_layers)
        told = 2 + embedding + (embedding + 2 if counts_edges else 0)
        self.told = nn.Sequential(nn.Linear(told, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.told_at = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(3 + layers)])
        self.seen = nn.ModuleList(
            [
                nn.Linear(2 + embedding, hidden),
                nn.Linear(2 + embedding, hidden),
                nn.Linear(2 + 2 * embedding + marks_joined, hidden),
            ]
        )
        self.inward = nn.ModuleList(
            [nn.Sequential(nn.LayerNorm(hidden), nn.ReLU(), _mlp(hidden, hidden)) for _ in range(3)]
        )
        self.layers = nn.ModuleList([_Layer(hidden, width, siblings=siblings) for _ in range(layers)])
        self.outward = nn.ModuleList([_zero(nn.Linear(hidden * (layers + 1), 1)) for _ in range(3)])

    def forward(
        self,
        union: Union,
        inputs: Values,
        noise: Tensor,
        embedded: tuple[Tensor, Tensor] | None = None,
        generator: torch.Generator | None = None,
    ) -> Values:
        """Predict.

        Parameters
        ----------
        union
            The batch.
        inputs
            Two numbers at each place ``(·, 2)``: the noisy one, and what was predicted before or zero.
        noise
            What is told of the noise of each hypergraph ``(count,)``.
        embedded
            The coarser scale's embeddings, if they were computed already.
        generator
            What to draw dropout from; without it none is left out.
        """
        nodes, edges = self.sign_net(union) if embedded is None else embedded
        nodes, edges = nodes[union.node_parents], edges[union.edge_parents]
        told = self.told(self._told(union, noise))
        marks = (union.joined[:, None],) if self.marks_joined else ()
        seen = (nodes,), (edges,), (nodes[union.v], edges[union.e], *marks)
        of = union.node_graph, union.edge_graph, union.graph
        parts = []
        for k in range(3):
            given = self._dropped(torch.cat([inputs[k], *seen[k]], dim=1), generator)
            parts.append(self.inward[k](self.seen[k](given) + self.told_at[k](told)[of[k]]))
        x = torch.cat(parts)
        n, m = len(nodes), len(edges)
        ends = union.v, union.e + n
        found = [x]
        scale = _scale(ends, n + m, x)
        graph, families = torch.cat(of), _families(union)
        for layer, told_at in zip(self.layers, list(self.told_at)[3:], strict=True):
            x = layer(x, ends, scale, told_at(told)[graph], families)
            found.append(x)
        every = self._dropped(torch.cat(found, dim=1), generator)
        split = every[:n], every[n : n + m], every[n + m :]
        return Values(*(out(part)[:, 0] for out, part in zip(self.outward, split, strict=True)))

    def _told(self, union: Union, noise: Tensor) -> Tensor:
        """Return what all parts of a hypergraph are told."""
        parts = [noise[:, None], union.shrinkage[:, None], _waves(union.target[:, 0], self.embedding)]
        if self.counts_edges:
            there = torch.stack([_count(union.node_graph, union), _count(union.edge_graph, union)], dim=1)
            parts += [_waves(union.target[:, 1], self.embedding), there / union.target.clamp(min=1)]
        return torch.cat(parts, dim=1)

    def _dropped(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        if generator is None or not self.dropout:
            return x
        kept = torch.rand(x.shape, generator=generator, device=generator.device).to(x.device) >= self.dropout
        return x * kept / (1 - self.dropout)


def _others(a: Tensor, family: Tensor) -> Tensor:
    """Add up what the others of a family have."""
    total = a.new_zeros((int(family.max()) + 1, a.shape[1])).index_add(0, family, a)
    return total[family] - a


def _families(union: Union) -> tuple[Tensor, Tensor]:
    """Return families of nodes, hyperedges and candidates: children of one parent, and two kinds of twins among candidates."""
    own = union.node_parents, union.edge_parents + len(union.node_features)
    start = len(union.node_features) + len(union.edge_features)
    return torch.cat([*own, union.node_twins + start]), torch.cat([*own, union.edge_twins + start])


def _zero(layer: nn.Linear) -> nn.Linear:
    """Let a layer return zero, so that the first prediction is none."""
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _count(graph: Tensor, union: Union) -> Tensor:
    return torch.bincount(graph, minlength=union.count).to(union.target.dtype)


def _scale(ends: tuple[Tensor, Tensor], own: int, x: Tensor) -> Tensor:
    """Return one over the root of the number of messages that arrive at each place, ``(·, 1)``."""
    arriving = 1 + torch.bincount(torch.cat(ends), minlength=own).to(x.dtype)
    two = x.new_full((len(ends[0]),), 2.0)
    return torch.cat([arriving, two]).rsqrt()[:, None]


def _waves(sizes: Tensor, width: int) -> Tensor:
    """Return sines and cosines of sizes, ``(·, width)``."""
    half = width // 2
    frequencies = torch.exp(-math.log(10_000.0) / half * torch.arange(half, device=sizes.device, dtype=sizes.dtype))
    angles = sizes[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)
