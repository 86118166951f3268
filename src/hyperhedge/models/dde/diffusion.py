r"""The diffusion of hyperlinks' embeddings: noise, the network that takes it away, and sampling.

*Noise.* An embedding, standardised in each coordinate (:class:`Standard`), follows the Ornstein–Uhlenbeck process
:math:`\mathrm dX = -X\,\mathrm dt + \sqrt2\,\mathrm dW`. At time :math:`t` it is :math:`X_t = e^{-t} (X_0 + s\,\varepsilon)` with
:math:`s = \sqrt{e^{2t} - 1}`: up to a known factor, data with noise of the level :math:`s`. Levels say it all, and times are not
needed.

*The score.* The best guess of the data, :math:`D(y; s) = \mathbb E[X_0 \mid X_0 + s\,\varepsilon = y]`, gives the score of the
noisy law: :math:`\nabla \ln p_s(y) = (D(y; s) - y) / s^2` (Tweedie). A network :math:`F` learns it by denoising score matching,

.. math:: D(y; s) = \frac{y}{1 + s^2} + \frac{s}{\sqrt{1 + s^2}}\,F\Bigl(\frac{y}{\sqrt{1 + s^2}}, \ln s\Bigr), \qquad
    \min_F \mathbb E\Bigl[\frac{1 + s^2}{s^2} \bigl|D(X_0 + s\,\varepsilon; s) - X_0\bigr|^2\Bigr],

with :math:`\ln s` normal. The factors are such that the target of :math:`F` has unit variance at every level, and that
:math:`F = 0` is the exact answer for standard normal data.

*Sampling* begins with the process' stationary law, :math:`y \sim N(0, 1 + s_0^2)`, and follows the probability flow

.. math:: \frac{\mathrm dy}{\mathrm ds} = \frac{y - D(y; s)}{s}

down to :math:`s = 0` with Heun's method, on levels that are equidistant in :math:`s^{1/7}` (Karras et al., NeurIPS 2022).

*Several training hypergraphs* have embeddings of their own, and share the network: it sees a code of the hypergraph, which is
learned with its weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from hyperhedge.train.workers import Batch
from hyperhedge.typing import FloatArray

#: The levels of noise with which sampling begins, and from which it jumps to 0.
MOST, LEAST = 20.0, 0.005

#: Embeddings that are sampled together.
AT_ONCE = 1 << 14

_MEAN, _DEVIATION = -1.0, 1.6  # of the logarithm of levels in training
_POWER = 7
_FREQUENCIES, _CODE, _BLOCKS = 8, 16, 3


@dataclass(frozen=True)
class Standard:
    """Embeddings with mean 0 and variance 1 in each coordinate; a coordinate without variance is 0."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, embeddings: FloatArray) -> Standard:
        """Compute the moments of embeddings ``(m, K)``."""
        if not len(embeddings):
            return cls(np.zeros(embeddings.shape[1]), np.zeros(embeddings.shape[1]))
        mean, deviation = embeddings.mean(0, dtype=float), embeddings.std(0, dtype=float)
        negligible = 1e-6 * max(float(np.abs(embeddings).max(initial=0.0)), 1e-30)
        return cls(mean, np.where(deviation > negligible, deviation, 0.0))

    def standardised(self, embeddings: FloatArray) -> FloatArray:
        """Standardise embeddings."""
        centred = embeddings - self.mean
        return np.divide(centred, self.deviation, out=np.zeros_like(centred), where=self.deviation > 0)

    def restored(self, standardised: FloatArray) -> FloatArray:
        """Return embeddings from standardised ones."""
        return self.mean + self.deviation * standardised


class ScoreNetwork(nn.Module):
    """The network: residual blocks on the embedding, the level of noise and the hypergraph's code.

    Parameters
    ----------
    rank
        The dimension of embeddings.
    width
        That of the blocks.
    hypergraphs
        How many have a code.
    """

    def __init__(self, rank: int, width: int, hypergraphs: int) -> None:
        super().__init__()
        self.code = nn.Embedding(hypergraphs, _CODE)
        self.embed = nn.Linear(rank + 2 * _FREQUENCIES + _CODE, width)
        self.inner = nn.ModuleList(nn.Linear(width, width) for _ in range(_BLOCKS))
        self.outer = nn.ModuleList(nn.Linear(width, width) for _ in range(_BLOCKS))
        self.out = nn.Linear(width, rank)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, noisy: Tensor, level: Tensor, hypergraph: Tensor) -> Tensor:
        """Guess the data: ``(B, K)`` from noisy ones ``(B, K)``, their levels ``(B,)`` and hypergraphs ``(B,)``."""
        skip = 1 / (1 + level * level)[:, None]
        scaled = noisy * skip.sqrt()
        hidden = self.embed(torch.cat((scaled, _waves(level.log()), self.code(hypergraph)), dim=1))
        for inner, outer in zip(self.inner, self.outer, strict=True):
            hidden = hidden + outer(silu(inner(silu(hidden))))
        guess: Tensor = skip * noisy + level[:, None] * skip.sqrt() * self.out(silu(hidden))
        return guess


def _waves(log_level: Tensor) -> Tensor:
    """Return sines and cosines of several frequencies, the slowest with half a period over all levels."""
    reach = math.log(MOST / LEAST)
    phases = log_level[:, None] * (math.pi / reach) * 1.5 ** torch.arange(_FREQUENCIES, device=log_level.device)
    return torch.cat((phases.sin(), phases.cos()), dim=1)


class ScoreMatching:
    """The task of the trainer: denoising score matching.

    Parameters
    ----------
    data
        Standardised embeddings of all hyperlinks, ``(M, K)``.
    hypergraph
        The hypergraph of each, ``(M,)``.
    """

    def __init__(self, data: Tensor, hypergraph: Tensor) -> None:
        self.data, self.hypergraph = data, hypergraph

    def sample_batch(self, count: int, generator: torch.Generator) -> Batch:
        """Sample hyperlinks, levels and noise."""
        chosen = torch.randint(len(self.data), (count,), generator=generator)
        level = (_MEAN + _DEVIATION * torch.randn(count, generator=generator)).exp()
        return chosen, level, torch.randn(count, self.data.shape[1], generator=generator)

    def losses(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return the weighted squared errors, the mean over coordinates."""
        chosen, level, noise = batch
        data = self.data[chosen]
        guess = module(data + level[:, None] * noise, level, self.hypergraph[chosen])
        weight = 1 + 1 / (level * level)
        losses: Tensor = weight * (guess - data).square().mean(1)
        return losses

    def validate(self, module: nn.Module) -> None:
        """Hold nothing out."""
        del module


def sampled_embeddings(
    network: nn.Module, hypergraph: int, count: int, rank: int, steps: int, rng: np.random.Generator
) -> FloatArray:
    """Sample standardised embeddings of hyperlinks of a hypergraph, ``(count, rank)``.

    Parameters
    ----------
    network
        What guesses the data, such as a :class:`ScoreNetwork`.
    steps
        How many steps of Heun's method, each with two guesses.
    """
    start = math.sqrt(1 + MOST * MOST) * rng.standard_normal((count, rank), dtype=np.float32)
    sampled = np.empty((count, rank))
    with torch.no_grad():
        for first in range(0, count, AT_ONCE):
            part = slice(first, first + AT_ONCE)
            sampled[part] = _denoised(network, torch.from_numpy(start[part]), hypergraph, steps).numpy()
    return sampled


def levels_of(steps: int) -> list[float]:
    """Return the levels of noise, in descending order, and 0.

    Examples
    --------
    >>> [round(level, 3) for level in levels_of(3)]
    [20.0, 1.011, 0.005, 0.0]
    """
    ends = MOST ** (1 / _POWER), LEAST ** (1 / _POWER)
    powers = np.linspace(*ends, steps) ** _POWER
    return [*powers.tolist(), 0.0]


def _denoised(network: nn.Module, noisy: Tensor, hypergraph: int, steps: int) -> Tensor:
    """Follow the probability flow from the first level to 0."""
    which = torch.full((len(noisy),), hypergraph)

    def slope(at: Tensor, level: float) -> Tensor:
        guess: Tensor = network(at, torch.full((len(at),), level), which)
        return (at - guess) / level

    for level, below in pairwise(levels_of(steps)):
        first = slope(noisy, level)
        reached = noisy + (below - level) * first
        if below > 0:
            reached = noisy + (below - level) / 2 * (first + slope(reached, below))
        noisy = reached
    return noisy
