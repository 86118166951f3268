r"""Networks to compare ours with: the same call, the same depth and width, and equivariant on matrices of any size.

Each takes features :math:`(B, N, M, F)`, contexts :math:`(B, T)` and sizes, and gives :math:`(B, N, M, \text{outputs})`. The first
three keep :math:`w` = ``width`` channels per entry, :math:`Z \in \mathbb R^{n \times m \times w}`, where ours keeps them per node and
hyperedge. A block adds to :math:`Z` functions of :math:`U = \mathrm{LN}(Z)`, modulated by the context as in ours:

- :class:`Exchangeable` (Hartford et al. 2018): an MLP of each entry and of the means of its row, its column and all entries,

  .. math:: W\,\sigma\bigl(W_1 U_{ve} + W_2 \bar U_{v\cdot} + W_3 \bar U_{\cdot e} + W_4 \bar U_{\cdot\cdot}\bigr) .

- :class:`AxialAttention` (Ho et al. 2019): each entry attends to its row, then to its column, then an MLP.
- :class:`PPGNLike` (Maron et al. 2019, for rectangles): each channel is a matrix, three of them are multiplied,

  .. math:: P^c = A^c (B^c)^\top C^c / \sqrt{nm}, \qquad (A, B, C) = \mathrm{MLP}(U), \qquad Z \leftarrow Z + \mathrm{MLP}(U, P) .

:class:`Plain` is our network, :mod:`hyperhedge.diffusion.network`, written as its formulas stand, with the weights of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.network import IncidenceNetwork, NetworkConfig

__all__ = ["NETWORKS", "AxialAttention", "Exchangeable", "PPGNLike", "Plain"]


class Shape:
    """What every layer needs to know of the sizes, in shapes that meet those of entries, ``(B, N, M, channels)``."""

    def __init__(self, sizes: Shapes, like: Tensor) -> None:
        sizes = sizes.to(like.device)
        self.node_mask, self.edge_mask = sizes.node_mask, sizes.edge_mask
        self.nodes = self.node_mask.to(like)[:, :, None, None]
        self.edges = self.edge_mask.to(like)[:, None, :, None]
        self.entries = self.nodes * self.edges
        self.n = sizes.n.to(like).clamp_min(1)[:, None, None, None]
        self.m = sizes.m.to(like).clamp_min(1)[:, None, None, None]


class _Modulated(nn.Module):
    """A layer norm of entries, scaled and shifted by the context."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.modulation = nn.Linear(width, 2 * width)

    def forward(self, Z: Tensor, t: Tensor) -> Tensor:
        scale, shift = self.modulation(t)[:, None, None].chunk(2, dim=-1)
        normed: Tensor = torch.addcmul(shift, self.norm(Z), 1 + scale)
        return normed


def _context_embedding(config: NetworkConfig) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(config.context, config.width), nn.SiLU(), nn.Linear(config.width, config.width), nn.SiLU()
    )


def _zeroed(layer: nn.Linear) -> nn.Linear:
    """Let a layer say zero at first, as in ours."""
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class _EntryNetwork(nn.Module):
    """What networks with ``width`` channels per entry share: everything but their blocks."""

    def __init__(self, config: NetworkConfig, block: Callable[[NetworkConfig], nn.Module]) -> None:
        super().__init__()
        width = config.width
        self.embed_context = _context_embedding(config)
        self.embed_entries = nn.Linear(config.features, width)
        self.blocks = nn.ModuleList(block(config) for _ in range(config.blocks))
        self.norm = _Modulated(width)
        self.inner = nn.Linear(width, width)
        self.out = _zeroed(nn.Linear(width, config.outputs))

    def forward(self, features: Tensor, context: Tensor, sizes: Shapes) -> Tensor:
        """Return ``(B, N, M, outputs)`` from features ``(B, N, M, F)`` and contexts ``(B, T)``."""
        shape = Shape(sizes, features)
        t = self.embed_context(context)
        Z = self.embed_entries(features * shape.entries) * shape.entries
        for block in self.blocks:
            Z = block(Z, t, shape)
        outputs: Tensor = self.out(torch.relu(self.inner(self.norm(Z, t)))) * shape.entries
        return outputs


class _ExchangeableBlock(nn.Module):
    """An MLP of entries and of the means of rows, of columns and of all."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.norm = _Modulated(width)
        self.from_entry = nn.Linear(width, 2 * width)
        self.from_row, self.from_column, self.from_all = (nn.Linear(width, 2 * width, bias=False) for _ in range(3))
        self.outer = nn.Linear(2 * width, width)

    def forward(self, Z: Tensor, t: Tensor, shape: Shape) -> Tensor:
        U = self.norm(Z, t) * shape.entries
        rows = U.sum(2, keepdim=True) / shape.m
        columns = U.sum(1, keepdim=True) / shape.n
        everything = rows.sum(1, keepdim=True) / shape.n
        hidden = self.from_entry(U) + (self.from_row(rows) + self.from_all(everything)) + self.from_column(columns)
        updated: Tensor = Z + self.outer(torch.relu(hidden)) * shape.entries
        return updated


class Exchangeable(_EntryNetwork):
    """Exchangeable matrix layers: entries see each other through means; see the module."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config, _ExchangeableBlock)


class _Attention(nn.Module):
    """Entries of a row attend to each other, in several heads."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"width must be a multiple of heads, and {width} is not one of {heads}")
        self.heads = heads
        self.norm = _Modulated(width)
        self.sent = nn.Linear(width, 3 * width, bias=False)
        self.outer = nn.Linear(width, width)

    def forward(self, Z: Tensor, t: Tensor, keys: Tensor) -> Tensor:
        """Return what entries ``(B, N, M, width)`` receive along ``M``, of which ``keys``, ``(B, M)``, are there."""
        batch, rows, columns, width = Z.shape
        by_head = self.sent(self.norm(Z, t)).view(batch * rows, columns, 3, self.heads, width // self.heads)
        query, key, value = by_head.permute(2, 0, 3, 1, 4)
        received = scaled_dot_product_attention(query, key, value, attn_mask=self._mask(keys, rows))
        answer: Tensor = self.outer(received.transpose(1, 2).reshape(batch, rows, columns, width))
        return answer

    @staticmethod
    def _mask(keys: Tensor, rows: int) -> Tensor | None:
        """Hide padding, if there is any; where nothing is there, hide nothing, since a softmax needs something."""
        if keys.all():
            return None
        keys = keys | ~keys.any(1, keepdim=True)
        return keys.repeat_interleave(rows, dim=0)[:, None, None, :]


class _AxialBlock(nn.Module):
    """Attention along rows, attention along columns, and an MLP."""

    def __init__(self, config: NetworkConfig, heads: int) -> None:
        super().__init__()
        width = config.width
        self.along_rows, self.along_columns = _Attention(width, heads), _Attention(width, heads)
        self.norm = _Modulated(width)
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, Z: Tensor, t: Tensor, shape: Shape) -> Tensor:
        Z = Z + self.along_rows(Z, t, shape.edge_mask) * shape.entries
        Z = Z + self.along_columns(Z.transpose(1, 2), t, shape.node_mask).transpose(1, 2) * shape.entries
        updated: Tensor = Z + self.outer(torch.relu(self.inner(self.norm(Z, t)))) * shape.entries
        return updated


class AxialAttention(_EntryNetwork):
    """Entries attend to their row and to their column; see the module."""

    def __init__(self, config: NetworkConfig, heads: int = 4) -> None:
        super().__init__(config, lambda config: _AxialBlock(config, heads))


class _PPGNBlock(nn.Module):
    """Products of three matrices per channel, and an MLP of entries and products."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.norm = _Modulated(width)
        self.factors = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3 * width))
        self.inner, self.outer = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, Z: Tensor, t: Tensor, shape: Shape) -> Tensor:
        U = self.norm(Z, t)
        factors = self.factors(U) * shape.entries
        product = self._product(*factors.permute(0, 3, 1, 2).chunk(3, dim=1)).permute(0, 2, 3, 1)
        product = product * (shape.n * shape.m).rsqrt()
        updated: Tensor = Z + self.outer(torch.relu(self.inner(torch.cat((U, product), dim=-1)))) * shape.entries
        return updated

    @staticmethod
    def _product(A: Tensor, B: Tensor, C: Tensor) -> Tensor:
        """Multiply by way of the smaller Gram matrix."""
        rows, columns = A.shape[-2:]
        return (A @ B.mT) @ C if rows <= columns else A @ (B.mT @ C)


class PPGNLike(_EntryNetwork):
    """Channels of entries are multiplied as matrices; see the module."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config, _PPGNBlock)


class _PlainSide(nn.Module):
    """The tokens of one side; parameters are named as in :mod:`hyperhedge.diffusion.network`."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.modulation = nn.Linear(width, 2 * width)
        self.sent = nn.Linear(width, width + config.hidden, bias=False)
        self.inner = nn.Linear(2 * width + config.channels, 2 * width)
        self.outer = nn.Linear(2 * width, width)

    def normed(self, tokens: Tensor, t: Tensor) -> Tensor:
        """Normalise and modulate."""
        scale, shift = self.modulation(t)[:, None, :].chunk(2, dim=-1)
        normed: Tensor = self.norm(tokens) * (1 + scale) + shift
        return normed

    def change(self, normed: Tensor, received: Tensor, pooled: Tensor) -> Tensor:
        """Return the MLP of what a token is and what it received."""
        change: Tensor = self.outer(torch.relu(self.inner(torch.cat((normed, received, pooled), dim=-1))))
        return change


class _PlainBlock(nn.Module):
    """One round of entries, nodes and hyperedges."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.width, self.slices = config.width, (config.channels, config.width // config.channels)
        self.nodes, self.edges = _PlainSide(config), _PlainSide(config)
        self.entry_in = nn.Linear(2 * config.channels, config.hidden)
        self.entry_context = nn.Linear(config.width, config.hidden, bias=False)
        self.entry_out = _zeroed(nn.Linear(config.hidden, config.channels))

    def forward(self, Z: Tensor, x: Tensor, y: Tensor, t: Tensor, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
        node_mask, edge_mask = shape.nodes[:, :, 0], shape.edges[:, 0]
        root_n, root_m = shape.n[:, 0].sqrt(), shape.m[:, 0].sqrt()
        u, w = self.nodes.normed(x, t), self.edges.normed(y, t)
        sent_by_nodes, sent_by_edges = self.nodes.sent(u), self.edges.sent(w)
        hidden = (
            self.entry_in(torch.cat((Z, self._walked(Z, shape)), dim=-1))
            + sent_by_nodes[:, :, None, self.width :]
            + sent_by_edges[:, None, :, self.width :]
            + self.entry_context(t)[:, None, None, :]
        )
        Z = (Z + self.entry_out(torch.relu(hidden))) * shape.entries
        from_nodes = (sent_by_nodes[..., : self.width] * node_mask).unflatten(-1, self.slices)
        from_edges = (sent_by_edges[..., : self.width] * edge_mask).unflatten(-1, self.slices)
        to_nodes = torch.einsum("bnmc,bmcw->bncw", Z, from_edges).flatten(2) / root_m
        to_edges = torch.einsum("bnmc,bncw->bmcw", Z, from_nodes).flatten(2) / root_n
        x = (x + self.nodes.change(u, to_nodes, Z.sum(2) / root_m)) * node_mask
        y = (y + self.edges.change(w, to_edges, Z.sum(1) / root_n)) * edge_mask
        return Z, x, y

    @staticmethod
    def _walked(Z: Tensor, shape: Shape) -> Tensor:
        """Multiply each half of the channels by the overlaps of hyperedges in the other half, each channel in units of its scale."""
        half = Z.shape[-1] // 2
        Z = Z / (1 + (Z**2).sum((1, 2), keepdim=True) / (shape.n * shape.m)).sqrt()
        others = 1 - torch.eye(Z.shape[2], dtype=Z.dtype, device=Z.device)[None, :, :, None]
        A, B = Z[..., :half], Z[..., half:]
        products = [
            torch.einsum("bnkc,bkmc->bnmc", first, torch.einsum("bukc,bumc->bkmc", second, second) * others)
            for first, second in ((A, B), (B, A))
        ]
        return torch.cat(products, dim=-1) / (shape.n * shape.m).sqrt()


class Plain(nn.Module):
    """The mathematics of :class:`~hyperhedge.diffusion.network.IncidenceNetwork`, without any thought of speed."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.embed_context = _context_embedding(config)
        self.embed_entries = nn.Linear(config.features, config.channels)
        self.embed_nodes = nn.Linear(2 * config.features, width)
        self.embed_edges = nn.Linear(2 * config.features, width)
        self.blocks = nn.ModuleList(_PlainBlock(config) for _ in range(config.blocks))
        self.out_nodes = nn.Linear(width, config.hidden, bias=False)
        self.out_edges = nn.Linear(width, config.hidden, bias=False)
        self.out_entries = nn.Linear(config.channels + config.features, config.hidden)
        self.out = _zeroed(nn.Linear(config.hidden, config.outputs))

    @classmethod
    def of(cls, network: IncidenceNetwork) -> Self:
        """Return the plain form of a network, with its weights: they have the same names and shapes."""
        plain = cls(network.config).to(next(network.parameters()))
        plain.load_state_dict(network.state_dict())
        return plain

    def forward(self, features: Tensor, context: Tensor, sizes: Shapes) -> Tensor:
        """Return ``(B, N, M, outputs)`` from features ``(B, N, M, F)`` and contexts ``(B, T)``."""
        shape = Shape(sizes, features)
        features = features * shape.entries
        t = self.embed_context(context)
        Z = self.embed_entries(features) * shape.entries
        x = self.embed_nodes(self._moments(features, 2, shape.m[:, 0])) * shape.nodes[:, :, 0]
        y = self.embed_edges(self._moments(features, 1, shape.n[:, 0])) * shape.edges[:, 0]
        for block in self.blocks:
            Z, x, y = block(Z, x, y, t, shape)
        hidden = (
            self.out_entries(torch.cat((Z, features), dim=-1))
            + self.out_nodes(x)[:, :, None, :]
            + self.out_edges(y)[:, None, :, :]
        )
        outputs: Tensor = self.out(torch.relu(hidden)) * shape.entries
        return outputs

    @staticmethod
    def _moments(features: Tensor, over: int, count: Tensor) -> Tensor:
        """Return the mean and the root mean square of features along rows or columns."""
        return torch.cat((features.sum(over) / count, ((features**2).sum(over) / count + 1e-6).sqrt()), dim=-1)


NETWORKS: dict[str, Callable[[NetworkConfig], nn.Module]] = {
    "ours": IncidenceNetwork,
    "plain": Plain,
    "exchangeable": Exchangeable,
    "axial attention": AxialAttention,
    "PPGN": PPGNLike,
}
