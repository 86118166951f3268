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

from hyperhedge.baselines.hygene.network import Values
from hyperhedge.baselines.hygene.union import Union

__all__ = ["Noise", "denoise", "sample"]

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
    union: Union,
    noisy: Values,
    sigma: Tensor,
    before: Values | None = None,
    embedded: tuple[Tensor, Tensor] | None = None,
    generator: torch.Generator | None = None,
) -> Values:
    """Predict the data; ``sigma`` is the noise of each hypergraph, ``before`` an earlier prediction."""
    skip, out, inward = constants.coefficients(sigma)
    of = union.node_graph, union.edge_graph, union.graph
    inputs = Values(
        *(
            torch.stack(
                [
                    inward[of[k]] * noisy[k],
                    torch.zeros_like(noisy[k]) if before is None else before[k] / constants.scale,
                ],
                dim=1,
            ).float()
            for k in range(3)
        )
    )
    found = network(union, inputs, (sigma.log() / 4).float(), embedded, generator)
    return Values(*(skip[of[k]] * noisy[k] + out[of[k]] * found[k] for k in range(3)))


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
        More standard noise, of the shape of what it is given.
    """
    levels = constants.sigmas(steps)
    gamma = min(CHURN / steps, math.sqrt(2) - 1)
    state, found = Values(*(levels[0] * part for part in start)), None
    for now, then in pairwise(levels):
        raised = now * (1 + gamma) if CHURN_FROM <= now <= CHURN_TO else now
        more = math.sqrt(raised**2 - now**2) * CHURN_NOISE
        state = Values(*(part + more * noise(part) for part in state)) if more else state
        found = predict(state, raised, found)
        slope = [(x - d) / raised for x, d in zip(state, found, strict=True)]
        moved = Values(*(x + (then - raised) * k for x, k in zip(state, slope, strict=True)))
        if then:
            found = predict(moved, then, found)
            again = [(x - d) / then for x, d in zip(moved, found, strict=True)]
            moved = Values(
                *(x + (then - raised) * (k + l) / 2 for x, k, l in zip(state, slope, again, strict=True))  # noqa: E741
            )
        state = moved
    return state
