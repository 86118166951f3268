r"""The diffusion, after T. Karras et al., *Elucidating the design space of diffusion-based generative models* (EDM), NeurIPS 2022.

*Data* are numbers at nodes, hyperedges and candidates: :math:`\pm 1` for a node that stays one or becomes two, :math:`-1, 0, 1`
for a hyperedge that becomes one, two or three, :math:`\pm 1` for an incidence that goes or stays. Noise is
:math:`x + \sigma\varepsilon`.

*Preconditioning.* The network :math:`F` predicts the data from a noisy state as

.. math:: D(x; \sigma) = c_{\text{skip}}\,x + c_{\text{out}}\,F(c_{\text{in}}\,x;\, \tfrac14 \ln\sigma), \quad
    c_{\text{skip}} = \frac{s^2}{\sigma^2 + s^2}, \quad c_{\text{out}} = \frac{\sigma s}{\sqrt{\sigma^2 + s^2}}, \quad
    c_{\text{in}} = \frac{1}{\sqrt{\sigma^2 + s^2}}

and its squared error has the weight :math:`1/c_{\text{out}}^2`. Noise levels are log-normal in training. The public code has EDM's
constants, made for images: :math:`s = 0.5`, :math:`\ln\sigma \sim N(-1.2, 1.2^2)`, :math:`\sigma_{\max} = 80`. But numbers that are
:math:`\pm 1` have the scale 1, and are decided where :math:`\sigma` is about 1: the defaults of :class:`Noise` are made for
them.

*Self-conditioning.* The network also sees an earlier prediction, divided by :math:`s`: in training, in half of the steps, that of a
first pass without gradient, otherwise zero; in sampling, that of the evaluation before.

*Sampling* (their Algorithm 2): noise levels :math:`\sigma_i = (\sigma_{\max}^{1/7} + \tfrac{i}{N-1}(\sigma_{\min}^{1/7} -
\sigma_{\max}^{1/7}))^7` and then 0; noise is added to raise a level by :math:`\gamma = \min(40/N, \sqrt2 - 1)`, followed by a step
of Heun.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from hyperhedge.models.hygene.batch import LiftBatch, Values

SIGMA_MIN, RHO = 0.002, 7
CHURN, CHURN_FROM, CHURN_TO, CHURN_NOISE = 40.0, 0.05, 50.0, 1.003


@dataclass(frozen=True)
class Noise:
    """The constants of the diffusion.

    Attributes
    ----------
    scale
        The scale :math:`s` of the data.
    mean, deviation
        Of the logarithm of noise levels in training.
    most
        The noise level with which sampling begins.
    """

    scale: float = 1.0
    mean: float = 0.0
    deviation: float = 1.2
    most: float = 20.0

    def coefficients(self, sigma: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the factors of the state, of the network's output and of its input."""
        square = sigma**2 + self.scale**2
        return self.scale**2 / square, sigma * self.scale / square.sqrt(), square.rsqrt()

    def weight(self, sigma: Tensor) -> Tensor:
        """Return the weight of a squared error."""
        return (sigma**2 + self.scale**2) / (sigma * self.scale) ** 2

    def sigmas(self, steps: int) -> list[float]:
        """Return the noise levels of a sampler, the last one 0.

        Examples
        --------
        >>> [round(sigma, 3) for sigma in Noise(most=80).sigmas(4)]
        [80.0, 9.723, 0.47, 0.002, 0.0]
        """
        high, low = self.most ** (1 / RHO), SIGMA_MIN ** (1 / RHO)
        return [*((high + i / max(steps - 1, 1) * (low - high)) ** RHO for i in range(steps)), 0.0]


def denoise(
    constants: Noise,
    network: nn.Module,
    batch: LiftBatch,
    noisy: Values,
    sigma: Tensor,
    before: Values | None = None,
    embedded: tuple[Tensor, Tensor] | None = None,
    generator: torch.Generator | None = None,
) -> Values:
    """Predict the data; ``sigma`` is the noise of each hypergraph, ``before`` an earlier prediction."""
    skip, out, inward = constants.coefficients(sigma)
    before = noisy.map(torch.zeros_like) if before is None else before

    def seen(x: Tensor, earlier: Tensor, graph: Tensor) -> Tensor:
        return torch.stack([inward[graph] * x, earlier / constants.scale], dim=1).float()

    inputs = noisy.map(seen, before, batch.graphs)
    output = network(batch, inputs, (sigma.log() / 4).float(), embedded, generator)
    return noisy.map(lambda x, F, graph: skip[graph] * x + out[graph] * F, output, batch.graphs)


def sample(
    constants: Noise,
    predict: Callable[[Values, float, Values | None], Values],
    start: Values,
    steps: int,
    noise: Callable[[Tensor], Tensor],
) -> Values:
    """Sample: from standard noise in the shape of the data to data.

    Parameters
    ----------
    constants
        Those of the diffusion.
    predict
        The data, from a state, its noise level and the prediction before.
    start
        Standard noise.
    steps
        How many steps; all but the last take two predictions.
    noise
        More standard noise, of the shape of its argument.
    """
    levels = constants.sigmas(steps)
    gamma = min(CHURN / steps, math.sqrt(2) - 1)
    state, predicted = start.map(lambda x: levels[0] * x), None
    for level, following in pairwise(levels):
        raised = level * (1 + gamma) if CHURN_FROM <= level <= CHURN_TO else level
        if raised > level:
            state = _with_noise(state, math.sqrt(raised**2 - level**2) * CHURN_NOISE, noise)
        state, predicted = _heun_step(predict, state, raised, following, predicted)
    return state


def _with_noise(state: Values, sigma: float, noise: Callable[[Tensor], Tensor]) -> Values:
    return state.map(lambda x: x + sigma * noise(x))


def _heun_step(
    predict: Callable[[Values, float, Values | None], Values],
    state: Values,
    sigma: float,
    following: float,
    before: Values | None,
) -> tuple[Values, Values]:
    """Go from one noise level to the following one; return the state and the last prediction."""
    predicted = predict(state, sigma, before)
    slope = state.map(lambda x, D: (x - D) / sigma, predicted)
    euler = state.map(lambda x, k: x + (following - sigma) * k, slope)
    if not following:
        return euler, predicted
    predicted = predict(euler, following, predicted)
    slope_there = euler.map(lambda x, D: (x - D) / following, predicted)
    return state.map(lambda x, k, there: x + (following - sigma) * (k + there) / 2, slope, slope_there), predicted
