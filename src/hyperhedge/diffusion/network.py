r"""An :math:`S_n \times S_m`-equivariant network on incidence matrices of any shape.

The network maps entry features :math:`F \in \mathbb R^{n \times m \times f}` and a context vector to entry outputs, such that
reordering nodes and hyperedges of the input reorders the output alike (eq. 18). It does not depend on the diffusion.

*Three kinds of state.* Every node has a token :math:`x_v`, every hyperedge a token :math:`y_e`, both of the same width, and every
entry a few channels :math:`Z_{ve}`. Most of the computation is on tokens, of which there are :math:`n + m` and not
:math:`n m`. They meet through the entries: a block

.. math::
    T_{ve} &= \tfrac1{\sqrt{nm}} \textstyle\sum_{e' \neq e} \sum_u \hat Z'_{ve'} \hat Z''_{ue'} \hat Z''_{ue} \\
    Z_{ve} &\leftarrow Z_{ve} + W_2\,\sigma(W_1 [Z_{ve}, T_{ve}] + A x_v + B y_e + C t) \\
    x_v &\leftarrow x_v + \mathrm{MLP}\Bigl(x_v,\ \bigl[\tfrac1{\sqrt m}\textstyle\sum_e Z^c_{ve}\, (W y_e)^c\bigr]_c,\
        \tfrac1{\sqrt m} \textstyle\sum_e Z_{ve}\Bigr)

and the same for hyperedges: channel :math:`c` of the entries is a matrix that carries one slice of the tokens across. Layer norms
are modulated by the context :math:`t`. :math:`T` walks from a node through another hyperedge and another node into a hyperedge,
channel by channel: :math:`Z'` and :math:`Z''` are the two halves of the channels, and take turns, and
:math:`\hat Z = Z / \sqrt{1 + \overline{Z^2}}`, with the mean over the entries of a channel. Walks are cubic: without that, states
of a deep network grow from block to block until they overflow.

*What it can tell apart.* Sums over rows and columns alone cannot distinguish two regular hypergraphs of which one has a pair of
hyperedges that share two nodes: all tokens would be equal. Walks can, as :math:`T` sees how much hyperedges share.

*Padding.* Rows and columns beyond a member's shape are zero in every state, and sums are scaled by that shape, so padding changes
nothing. Inside, channels come before nodes and hyperedges: each channel is a matrix in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from hyperhedge.diffusion.batch import Shapes

__all__ = ["IncidenceNetwork", "NetworkConfig"]


@dataclass(frozen=True)
class NetworkConfig:
    """The dimensions of a network.

    Attributes
    ----------
    features, context, outputs
        The numbers of inputs per entry, of inputs per hypergraph, and of outputs per entry.
    width
        The width of tokens, a multiple of ``channels``.
    channels
        The number of channels of an entry, an even number.
    hidden
        The width of the hidden layer of entries.
    blocks
        The depth.
    """

    features: int
    context: int
    outputs: int
    width: int = 96
    channels: int = 16
    hidden: int = 32
    blocks: int = 4

    def __post_init__(self) -> None:
        if self.width % self.channels:
            raise ValueError(f"width must be a multiple of channels={self.channels}, not {self.width}")
        if self.channels % 2:
            raise ValueError(f"channels must be an even number, not {self.channels}")

    @property
    def parameters(self) -> int:
        """The number of the network's parameters."""
        w, C, H, F = self.width, self.channels, self.hidden, self.features
        side = 2 * w * (w + 1) + w * (w + H) + (2 * w + C + 1) * 2 * w + (2 * w + 1) * w
        block = 2 * side + (2 * C + 1) * H + w * H + (H + 1) * C
        first = (self.context + 1) * w + (w + 1) * w + (F + 1) * C + 2 * (2 * F + 1) * w
        return first + self.blocks * block + 2 * w * H + (C + F + 1) * H + (H + 1) * self.outputs

    def activations(self, n: int, m: int, *, training: bool) -> int:
        """Estimate how many numbers are alive at once for a hypergraph of ``n`` nodes and ``m`` hyperedges.

        Training keeps entries, walks, hidden layers, overlaps and tokens of every block for the backward pass; otherwise one block
        is alive at a time. The factors are counted in the code and rounded to what was measured.
        """
        w, C, H, F = self.width, self.channels, self.hidden, self.features
        entries, squares, tokens = n * m, n * n + m * m, (n + m) * w
        if not training:
            return (2 * F + 3 * C + H + 25) * entries + 3 * C * m * m + 4 * squares + 6 * tokens
        block = (3 * C + H) * entries + 2 * C * m * m + 13 * tokens
        return self.blocks * block + (3 * F + 3 * C + 2 * H + 20) * entries + 8 * squares


class _Masks:
    """What every layer needs of the shapes: masks, if there is padding, and one over the roots of n and m and over nm."""

    def __init__(self, shapes: Shapes, like: Tensor) -> None:
        self.padded = bool((shapes.n != shapes.rows).any() or (shapes.m != shapes.columns).any())
        self.entries = shapes.mask.to(like)[:, None]
        self.per_node = shapes.n.to(like).clamp_min(1)[:, None, None].rsqrt()
        self.per_edge = shapes.m.to(like).clamp_min(1)[:, None, None].rsqrt()
        self.per_entry = ((self.per_node * self.per_edge) ** 2)[:, None]
        others = 1 - torch.eye(shapes.columns, dtype=like.dtype, device=like.device)
        self.to_others = (self.per_node * self.per_edge * others)[:, None]

    def on_entries(self, Z: Tensor) -> Tensor:
        """Set padding to zero."""
        return Z * self.entries if self.padded else Z


class _Entrywise(nn.Linear):
    """An affine map of the channels of entries, which come first: ``(B, C, N, M)``, or flat ``(B, C, N M)``."""

    def forward(self, *inputs: Tensor, onto: Tensor | None = None) -> Tensor:
        """Map the channels of all inputs together, flat, and add the bias, or ``onto`` instead.

        The inputs are not concatenated, which would copy them. The result is fresh memory and no view, so the caller can change
        it in place: autograd would copy a view.
        """
        batch = len(inputs[0])
        mapped = self.bias[:, None] if onto is None else onto.flatten(2)
        weights = torch.split(self.weight, [entries.shape[1] for entries in inputs], dim=1)
        for k, (weight, entries) in enumerate(zip(weights, inputs, strict=True)):
            product = weight.expand(batch, -1, -1), entries.flatten(2)
            mapped = mapped.baddbmm_(*product) if k else torch.baddbmm(mapped, *product)
        return mapped

    def with_tokens(self, rows: Tensor, columns: Tensor, *inputs: Tensor) -> Tensor:
        """Map, and add vectors of rows and of columns."""
        mapped: Tensor = self(*inputs, onto=(rows + self.bias).mT[:, :, :, None] + columns.mT[:, :, None])
        return mapped


class _Side(nn.Module):
    """The tokens of one side: their norm, the messages they send, and their update."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.width
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.modulation = nn.Linear(width, 2 * width)
        self.sent = nn.Linear(width, width + config.hidden, bias=False)
        self.inner = nn.Linear(2 * width + config.channels, 2 * width)
        self.outer = nn.Linear(2 * width, width)

    def normed(self, tokens: Tensor, context: Tensor) -> Tensor:
        """Normalise and modulate."""
        scale, shift = self.modulation(context)[:, None].chunk(2, dim=-1)
        normed: Tensor = torch.addcmul(shift, self.norm(tokens), 1 + scale)
        return normed

    def sends(self, normed: Tensor) -> tuple[Tensor, Tensor]:
        """Return the messages to the other side, through the entries, and to the entries themselves."""
        across, inside = self.sent(normed).split((normed.shape[-1], self.sent.out_features - normed.shape[-1]), dim=-1)
        return across, inside

    def update(self, tokens: Tensor, normed: Tensor, received: Tensor, pooled: Tensor) -> Tensor:
        """Return the tokens updated by what they received."""
        updated: Tensor = tokens + self.outer(self.inner(torch.cat((normed, received, pooled), dim=-1)).relu_())
        return updated


class _Block(nn.Module):
    """One round of entries, nodes and hyperedges."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.channels = config.channels
        self.nodes, self.edges = _Side(config), _Side(config)
        self.entry_in = _Entrywise(2 * config.channels, config.hidden)
        self.entry_context = nn.Linear(config.width, config.hidden, bias=False)
        self.entry_out = _Entrywise(config.hidden, config.channels)
        nn.init.zeros_(self.entry_out.weight)
        nn.init.zeros_(self.entry_out.bias)

    def forward(self, Z: Tensor, x: Tensor, y: Tensor, t: Tensor, masks: _Masks) -> tuple[Tensor, Tensor, Tensor]:
        u, w = self.nodes.normed(x, t), self.edges.normed(y, t)
        (from_nodes, into_rows), (from_edges, into_columns) = self.nodes.sends(u), self.edges.sends(w)
        into_rows = into_rows + self.entry_context(t)[:, None]
        hidden = self.entry_in.with_tokens(into_rows, into_columns, Z, _walked(Z, masks)).relu_()
        Z = Z + masks.on_entries(self.entry_out(hidden).view_as(Z))
        to_nodes = self._carried(Z, from_edges) * masks.per_edge
        to_edges = self._carried(Z.mT, from_nodes) * masks.per_node
        x = self.nodes.update(x, u, to_nodes, Z.sum(3).mT * masks.per_edge)
        y = self.edges.update(y, w, to_edges, Z.sum(2).mT * masks.per_node)
        return Z, x, y

    def _carried(self, matrices: Tensor, tokens: Tensor) -> Tensor:
        """Send each slice of the tokens across by the matrix of its channel."""
        batch, count, width = tokens.shape
        slices = tokens.view(batch, count, self.channels, width // self.channels).transpose(1, 2)
        return (matrices @ slices).transpose(1, 2).flatten(2)


def _walked(Z: Tensor, masks: _Masks) -> Tensor:
    """Walk from a node through another hyperedge and another node into a hyperedge; the halves of the channels take turns.

    The scales are those of channels, so overlaps can take them, of which there are fewer than entries.
    """
    scale = (1 + (Z * Z).sum((2, 3), keepdim=True) * masks.per_entry).rsqrt()
    overlaps = (Z.mT @ Z * scale**2).roll(Z.shape[1] // 2, dims=1)
    return Z @ (overlaps * (scale * masks.to_others))


class IncidenceNetwork(nn.Module):
    """The network; see the module.

    Examples
    --------
    >>> network = IncidenceNetwork(NetworkConfig(features=3, context=2, outputs=1))
    >>> features, context = torch.randn(2, 5, 4, 3), torch.randn(2, 2)
    >>> network(features, context, Shapes.all_equal(2, 5, 4)).shape
    torch.Size([2, 5, 4, 1])
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.embed_context = nn.Sequential(
            nn.Linear(config.context, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU()
        )
        self.embed_entries = _Entrywise(config.features, config.channels)
        self.embed_nodes = nn.Linear(2 * config.features, width)
        self.embed_edges = nn.Linear(2 * config.features, width)
        self.blocks = nn.ModuleList(_Block(config) for _ in range(config.blocks))
        self.out_nodes = nn.Linear(width, config.hidden, bias=False)
        self.out_edges = nn.Linear(width, config.hidden, bias=False)
        self.out_entries = _Entrywise(config.channels + config.features, config.hidden)
        self.out = _Entrywise(config.hidden, config.outputs)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, features: Tensor, context: Tensor, shapes: Shapes) -> Tensor:
        """Return ``(B, N, M, outputs)`` from features ``(B, N, M, F)`` and contexts ``(B, T)``."""
        masks = _Masks(shapes.to(features.device), features)
        by_channel = masks.on_entries(features.permute(0, 3, 1, 2))
        t = self.embed_context(context)
        batch, _, rows, columns = by_channel.shape
        Z = masks.on_entries(self.embed_entries(by_channel).view(batch, self.config.channels, rows, columns))
        x = self.embed_nodes(_moments(by_channel, 3, masks.per_edge))
        y = self.embed_edges(_moments(by_channel, 2, masks.per_node))
        for block in self.blocks:
            Z, x, y = block(Z, x, y, t, masks)
        hidden = self.out_entries.with_tokens(self.out_nodes(x), self.out_edges(y), Z, by_channel).relu_()
        outputs = self.out(hidden).view(batch, self.config.outputs, rows, columns)
        return masks.on_entries(outputs).permute(0, 2, 3, 1)


def _moments(features: Tensor, over: int, root: Tensor) -> Tensor:
    """Return the mean and the root mean square of features along rows or columns, as tokens."""
    share = root**2
    mean, square = features.sum(over).mT * share, (features**2).sum(over).mT * share
    return torch.cat((mean, (square + 1e-6).sqrt()), dim=-1)  # the root of exactly 0 has no gradient
