r"""The network: embeddings of the coarser scale, and local message passing on the finer one.

*SignNet* (D. Lim et al., *Sign and basis invariant networks*, ICLR 2023). Eigenvectors are known up to sign, so

.. math:: z = \rho\bigl( [\phi(\lambda_i, x_i) + \phi(\lambda_i, -x_i)]_{i \le k} \bigr)

with :math:`\phi` a graph isomorphism network on the bipartite graph of the coarser scale and :math:`\rho` a perceptron. Children
have the embedding of their parent.

*Local PPGN* (A. Bergmeister et al., *Efficient and scalable graph generation through iterative local expansion*, ICLR 2024). A PPGN
multiplies matrices of features, :math:`(M^1 M^2)_{st} = \sum_u M^1_{su} M^2_{ut}`; the local one only over triangles
:math:`(s, u, t)` all of whose sides are edges or loops. A bipartite graph has no triangle without a loop, so for an incidence
:math:`c = (v, e)`, and loops at :math:`v` and :math:`e`, what remains is

.. math::
    m_c = \tfrac{1}{\sqrt 2} \bigl( a_v b_c + a_c b_e \bigr), \qquad
    m_v = \frac{a_v b_v + \sum_{c \ni v} a_c b_c}{\sqrt{1 + \deg v}}, \qquad
    m_e = \frac{a_e b_e + \sum_{c \ni e} a_c b_c}{\sqrt{1 + \deg e}} ,

where :math:`a` and :math:`b - 1` are perceptrons of the features :math:`x`, so messages pass from the beginning, and
:math:`x \leftarrow x + \text{MLP}(x, m, g)` with :math:`g` the context, the same for all of a hypergraph.

*Context.* It holds the noise level, the target number of nodes and the shrinkage of the next scale; if hyperedges are counted too
(``counts_edges``), also the target number of these and which share of both there is already.

*Candidates* know the embeddings of their two parents and, if they are marked (``marks_joined``), whether these are joined. The
public network has to infer this from the embeddings.

*Siblings* (``siblings``) see each other: children of one parent, and candidates that differ only in which child of a node, or of a
hyperedge, they join. What one of them takes the other need not, and over the whole hyperedge's messages this is hard to learn.

The network is equivariant: relabelled nodes and hyperedges relabel what it returns.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from hyperhedge.models.hygene.batch import LiftBatch, Values


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

    def forward(self, batch: LiftBatch) -> tuple[Tensor, Tensor]:
        """Return the embeddings of the coarser scale's nodes and hyperedges."""
        n = len(batch.node_features)
        vectors = torch.cat([batch.node_features, batch.edge_features])
        values = torch.cat([batch.node_values, batch.edge_values])
        sources = torch.cat([batch.coarse_v, batch.coarse_e + n])
        targets = torch.cat([batch.coarse_e + n, batch.coarse_v])
        signed = torch.stack([vectors, -vectors])
        pairs = torch.stack([values.expand_as(signed), signed], dim=-1)
        x = self.inward(pairs).transpose(0, 1)  # (n + m, 2, k, hidden)
        rounds = [x]
        for layer, own in zip(self.layers, self.own, strict=True):
            x = layer(torch.index_add((1 + own) * x, 0, targets, x[sources]))
            rounds.append(x)
        both_signs = self.skip(torch.cat(rounds, dim=-1)).sum(1)
        embedded = self.merge(both_signs.flatten(1))
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
        self, x: Tensor, ends: tuple[Tensor, Tensor], scale: Tensor, context: Tensor, families: tuple[Tensor, Tensor]
    ) -> Tensor:
        """Return new features of nodes and hyperedges (in one sequence) and after them of incidences.

        ``ends`` are the positions of the incidences' nodes and hyperedges; ``families`` group all positions.
        """
        a, b = self.a(x), 1 + self.b(x)
        at_v, at_e = ends
        first = len(x) - len(at_v)  # the first incidence
        products = a[first:] * b[first:]
        at_ends = (a[:first] * b[:first]).index_add(0, at_v, products).index_add(0, at_e, products)
        at_incidences = a[at_v] * b[first:] + a[first:] * b[at_e]
        m = torch.cat([at_ends, at_incidences]) * scale
        if self.siblings:
            m = torch.cat([m, *(_others(a, family) for family in families)], dim=1)
        return self.updated(x, m, context)

    def updated(self, x: Tensor, m: Tensor, context: Tensor) -> Tensor:
        """Update features by the messages that arrive."""
        inner = torch.relu(self.norm(self.inner(torch.cat([x, m], dim=1)) + context))
        new: Tensor = x + self.outer(inner)
        return new


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
        Whether a candidate knows if its parents are joined.
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
        batch: LiftBatch,
        inputs: Values,
        noise: Tensor,
        embedded: tuple[Tensor, Tensor] | None = None,
        generator: torch.Generator | None = None,
    ) -> Values:
        """Predict.

        Parameters
        ----------
        batch
            The steps.
        inputs
            Two numbers at each node, hyperedge and candidate ``(·, 2)``: the noisy one, and an earlier prediction or zero.
        noise
            The noise level of each hypergraph ``(count,)``, as a feature.
        embedded
            The coarser scale's embeddings, if they were computed already.
        generator
            The source of dropout; without it nothing is left out.
        """
        n, m = len(batch.node_graph), len(batch.edge_graph)
        context = self.told(self._context(batch, noise))
        x = torch.cat(self._first_features(batch, inputs, embedded, context, generator))
        ends = batch.v, batch.e + n
        scale, graph, families = _scale(ends, n + m, x), torch.cat(batch.graphs), _families(batch)
        rounds = [x]
        for layer, at_layer in zip(self.layers, list(self.told_at)[3:], strict=True):
            x = layer(x, ends, scale, at_layer(context)[graph], families)
            rounds.append(x)
        features = self._dropped(torch.cat(rounds, dim=1), generator)
        split = Values(*torch.split(features, [n, m, len(batch.graph)]))
        return Values(*(out(rows)[:, 0] for out, rows in zip(self.outward, split, strict=True)))

    def _first_features(
        self,
        batch: LiftBatch,
        inputs: Values,
        embedded: tuple[Tensor, Tensor] | None,
        context: Tensor,
        generator: torch.Generator | None,
    ) -> Values:
        """Return the features before the first round: of the inputs, the parents' embeddings and the context."""
        coarse_nodes, coarse_edges = self.sign_net(batch) if embedded is None else embedded
        nodes, edges = coarse_nodes[batch.node_parents], coarse_edges[batch.edge_parents]
        marks = [batch.joined[:, None]] if self.marks_joined else []
        seen = Values(nodes, edges, torch.cat([nodes[batch.v], edges[batch.e], *marks], dim=1))
        features = []
        for k, graph in enumerate(batch.graphs):
            known = self._dropped(torch.cat([inputs[k], seen[k]], dim=1), generator)
            features.append(self.inward[k](self.seen[k](known) + self.told_at[k](context)[graph]))
        return Values(*features)

    def _context(self, batch: LiftBatch, noise: Tensor) -> Tensor:
        """Return the features that all of a hypergraph share."""
        features = [noise[:, None], batch.shrinkage[:, None], _waves(batch.target[:, 0], self.embedding)]
        if self.counts_edges:
            present = torch.stack([_count(batch.node_graph, batch), _count(batch.edge_graph, batch)], dim=1)
            features += [_waves(batch.target[:, 1], self.embedding), present / batch.target.clamp(min=1)]
        return torch.cat(features, dim=1)

    def _dropped(self, x: Tensor, generator: torch.Generator | None) -> Tensor:
        if generator is None or not self.dropout:
            return x
        kept = torch.rand(x.shape, generator=generator, device=generator.device).to(x.device) >= self.dropout
        return x * kept / (1 - self.dropout)


def _others(a: Tensor, family: Tensor) -> Tensor:
    """Return the sum over the others of each one's family."""
    total = a.new_zeros((int(family.max()) + 1, a.shape[1])).index_add(0, family, a)
    return total[family] - a


def _families(batch: LiftBatch) -> tuple[Tensor, Tensor]:
    """Return families of nodes, hyperedges and candidates: children of one parent, and two kinds of twins among candidates."""
    children = torch.cat([batch.node_parents, batch.edge_parents + len(batch.node_features)])
    start = len(batch.node_features) + len(batch.edge_features)
    return torch.cat([children, batch.node_twins + start]), torch.cat([children, batch.edge_twins + start])


def _zero(layer: nn.Linear) -> nn.Linear:
    """Let a layer return zero, so the first prediction is zero."""
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _count(graph: Tensor, batch: LiftBatch) -> Tensor:
    return torch.bincount(graph, minlength=batch.count).to(batch.target.dtype)


def _scale(ends: tuple[Tensor, Tensor], count: int, x: Tensor) -> Tensor:
    """Return one over the root of the number of messages that arrive at each position, ``(·, 1)``.

    They are one plus the degree at each of the ``count`` nodes and hyperedges, and two at each incidence.
    """
    arriving = 1 + torch.bincount(torch.cat(ends), minlength=count).to(x.dtype)
    two = x.new_full((len(ends[0]),), 2.0)
    return torch.cat([arriving, two]).rsqrt()[:, None]


def _waves(counts: Tensor, width: int) -> Tensor:
    """Return sines and cosines of numbers, ``(·, width)``."""
    half = width // 2
    frequencies = torch.exp(-math.log(10_000.0) / half * torch.arange(half, device=counts.device, dtype=counts.dtype))
    angles = counts[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)
