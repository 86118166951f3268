r"""The diffusion, after T. Karras et al., *Elucidating the design space of diffusion-based generative models* (EDM), NeurIPS 2022.

*Data* are numbers at nodes, hyperedges and candidates: :math:`\pm 1` for a node that stays one or becomes two, :math:`-1, 0, 1`
for a hyperedge that becomes one, two or three, :math:`\pm 1` for an incidence that goes or stays. Noise is
:math:`x + \sigma\varepsilon`.

*Preconditioning.* The network :math:`F` predicts the data from a noisy state as

.. math:: D(x; \sigma) = c_{\text{skip}}\,x + c_{\text{out}}\,F(c_{\text{in}}\,x;\, \tfrac14 \ln\sigma), \quad
    c_{\text{skip}} = \frac{s^2}{\sigma^2 + s^2}, \quad c_{\text{out}} = \frac{\sigma s}{\sqrt{\sigma^2 + s^2}}, \quad
    c_{\text{in}} = \frac{1}{\sqrt{\sigma^2 + s^2}}

with :math:`s = 0.5`, and its squared error has the weight :math:`1/c_{\text{out}}^2`.

*Self-conditioning.* The network also sees an earlier prediction, divided by :math:`s`: in training, in half of the steps, that of a
first pass without gradient, otherwise zero; in sampling, that of the evaluation before.

*Sampling* (their Algorithm 2): noise levels :math:`\sigma_i = (\sigma_{\max}^{1/7} + \tfrac{i}{N-1}(\sigma_{\min}^{1/7} -
\sigma_{\max}^{1/7}))^7` and then 0; noise is added to raise a level by :math:`\gamma = \min(40/N, \sqrt2 - 1)`, followed by a step
of Heun.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from hyperhedge.baselines.hygene.network import Values
from hyperhedge.baselines.hygene.union import Union

__all__ = ["NOISE_MEAN", "NOISE_STD", "SIGMA_DATA", "coefficients", "denoise", "loss_weight", "sample", "sigmas"]

SIGMA_DATA = 0.5
NOISE_MEAN, NOISE_STD = -1.2, 1.2
SIGMA_MIN, SIGMA_MAX, RHO = 0.002, 80.0, 7
CHURN, CHURN_FROM, CHURN_TO, CHURN_NOISE = 40.0, 0.05, 50.0, 1.003


def coefficients(sigma: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the factors of the state, of the network's output and of its input."""
    square = sigma**2 + SIGMA_DATA**2
    return SIGMA_DATA**2 / square, sigma * SIGMA_DATA / square.sqrt(), square.rsqrt()


def loss_weight(sigma: Tensor) -> Tensor:
    """Return the weight of a squared error."""
    return (sigma**2 + SIGMA_DATA**2) / (sigma * SIGMA_DATA) ** 2


def denoise(
    network: nn.Module,
    union: Union,
    noisy: Values,
    sigma: Tensor,
    before: Values | None = None,
    embedded: tuple[Tensor, Tensor] | None = None,
    generator: torch.Generator | None = None,
) -> Values:
    """Predict the data; ``sigma`` is the noise of each hypergraph, ``before`` an earlier prediction."""
    skip, out, inward = coefficients(sigma)
    of = union.node_graph, union.edge_graph, union.graph
    inputs = Values(
        *(
            torch.stack(
                [
                    inward[of[k]] * noisy[k],
                    torch.zeros_like(noisy[k]) if before is None else before[k] / SIGMA_DATA,
                ],
                dim=1,
            ).float()
            for k in range(3)
        )
    )
    found = network(union, inputs, (sigma.log() / 4).float(), embedded, generator)
    return Values(*(skip[of[k]] * noisy[k] + out[of[k]] * found[k] for k in range(3)))


def sigmas(steps: int) -> list[float]:
    """Return the noise levels of a sampler, the last one 0.

    Examples
    --------
    >>> [round(sigma, 3) for sigma in sigmas(4)]
    [80.0, 9.723, 0.47, 0.002, 0.0]
    """
    high, low = SIGMA_MAX ** (1 / RHO), SIGMA_MIN ** (1 / RHO)
    return [*((high + i / max(steps - 1, 1) * (low - high)) ** RHO for i in range(steps)), 0.0]


def sample(
    predict: Callable[[Values, float, Values | None], Values],
    start: Values,
    steps: int,
    noise: Callable[[Tensor], Tensor],
) -> Values:
    """Sample: from standard noise in the shape of the data to data.

    Parameters
    ----------
    predict
        The data, from a state, its noise level and the prediction before.
    start
        Standard noise.
    steps
        How many steps; all but the last take two predictions.
    noise
        More standard noise, of the shape of what it is given.
    """
    levels = sigmas(steps)
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
