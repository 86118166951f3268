r"""Samplers: from noise to relaxed states, backwards along the process.

The reverse SDE (eq. 16), in the forward time :math:`s` that runs from :math:`S` down to 0, is

.. math:: \mathrm dY = u_s(Y)\,\mathrm dt + \sqrt{2\tau\beta(s)}\,\mathrm d\bar W_t, \qquad s = S - t .

*Near* :math:`s = 0` the drift grows as :math:`(p + 1)/s` when :math:`\beta \sim s^p`: with the cosine schedule an Euler
step that ends at 0 multiplies a deviation by :math:`1 - 3 = -2`, whatever its length. So grids may be warped towards 0,
and the last step returns the *data prediction* instead of following the drift.

*Data prediction.* The surrogate of :mod:`hyperhedge.diffusion.process`, :math:`X_s = a_s D + b_s M_0 + \sqrt{v_s}\,\varepsilon`
with one typical rate, turns any drift into a prediction :math:`D` of the data, and loses nothing. The prediction is bounded as
:math:`s \to 0`, where the drift is not.

*The exponential sampler* holds :math:`D` fixed over a step and samples the exact Gaussian bridge

.. math:: X_t \mid X_s, D \sim \mathcal N\bigl(m_t + k\,(X_s - m_s),\; v_t (1 - a_{s|t}^2 v_t / v_s)\bigr), \qquad
          m = a D + b M_0, \quad k = a_{s|t} v_t / v_s, \quad a_{s|t} = a_s / a_t ,

with :math:`D` extrapolated to the middle of the step, in :math:`\log(a/\sqrt v)`, from this step and the one before: the
multistep idea of DPM-Solver++ (2M), for this process. *The flow sampler* does the same for the probability-flow ODE,
:math:`X_t = m_t + \sqrt{v_t/v_s}\,(X_s - m_s)`.

Every sampler evaluates the field once per step, and the surrogate once per time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Literal

import torch
from torch import Tensor

from hyperhedge.diffusion.fields import ReverseField
from hyperhedge.diffusion.process import Surrogate
from hyperhedge.errors import ScheduleError

__all__ = [
    "SAMPLERS",
    "EulerMaruyama",
    "Exponential",
    "Flow",
    "Sampler",
    "brownian_noise",
    "sample",
    "time_grid",
]

Noise = Callable[[float, float, Tensor], Tensor]


def time_grid(horizon: float, steps: int, *, power: float = 1.0) -> list[float]:
    r"""Return times from :math:`S` down to 0: :math:`s_k = S (1 - k/K)^\rho`, uniform for :math:`\rho = 1`.

    Examples
    --------
    >>> time_grid(4.0, 4)
    [4.0, 3.0, 2.0, 1.0, 0.0]
    >>> time_grid(4.0, 4, power=2.0)
    [4.0, 2.25, 1.0, 0.25, 0.0]
    """
    if steps < 1 or power <= 0:
        raise ScheduleError(f"a grid needs at least one step and a positive power, not {steps} and {power}")
    return [horizon * (1 - k / steps) ** power for k in range(steps + 1)]


class Sampler(ABC):
    """A scheme that takes states along a grid of descending times, with one evaluation of the field per step."""

    def __init__(self, field: ReverseField) -> None:
        self.field = field

    @abstractmethod
    def walk(self, X: Tensor, grid: Sequence[float], noise: Noise) -> Iterator[Tensor]:
        """Yield the state at every time of the grid but the first, where it is ``X``.

        ``noise(s, t, X)`` returns standard normal numbers of the state's shape for the step from ``s`` to ``t``.
        """

    def noise_weight(self, r: Tensor, t: float) -> Tensor:
        r"""Return :math:`\varphi(r)`, if the noise of a step to ``t`` is :math:`\int \varphi\,\mathrm dW`, normalised."""
        del t
        return torch.ones_like(r)


class EulerMaruyama(Sampler):
    r"""Algorithm 1: :math:`Y \leftarrow Y + \Delta t\, u + \sqrt{2\tau\beta\,\Delta t}\,\varepsilon`.

    The last step, to time 0, returns the data prediction; ``literal=True`` takes it as the algorithm is printed.
    """

    def __init__(self, field: ReverseField, *, literal: bool = False) -> None:
        super().__init__(field)
        self.literal = literal

    def walk(self, X: Tensor, grid: Sequence[float], noise: Noise) -> Iterator[Tensor]:
        """Follow the drift, and add noise."""
        for s, t in pairwise(grid):
            times = torch.full((len(X),), s, dtype=torch.float64, device=X.device)
            if t <= 0 and not self.literal:
                X = self.field.predict_data(X, self.field.surrogate(times))
            else:
                spread = (self.field.process.noise_rate(times) * (s - t)).sqrt()[:, None, None]
                X = X + (s - t) * self.field.drift(X, times) + spread * noise(s, t, X)
            yield X


class _Multistep(Sampler):
    """The common scheme of the exponential samplers: predictions of the data, extrapolated from two steps."""

    noise_share: float

    def __init__(self, field: ReverseField, *, order: Literal[1, 2] = 2) -> None:
        super().__init__(field)
        self.order = order

    def walk(self, X: Tensor, grid: Sequence[float], noise: Noise) -> Iterator[Tensor]:
        """Follow the bridge to the prediction for the middle of each step; the surrogate is evaluated on the whole grid at once."""
        surrogates = self.field.surrogate(torch.tensor(grid, dtype=torch.float64, device=X.device))
        M_0 = self.field.process.base_mean(X)
        previous: tuple[Surrogate, Tensor] | None = None
        for k, (s, t) in enumerate(pairwise(grid)):
            now, then = surrogates[k : k + 1], surrogates[k + 1 : k + 2]
            D = self.field.predict_data(X, now, noise_share=self.noise_share)
            middle = D
            if self.order == 2 and previous is not None and t > 0:
                before, D_before = previous
                ratio = (then.log_snr - now.log_snr) / (now.log_snr - before.log_snr)
                middle = D + 0.5 * ratio * (D - D_before)
            previous = now, D
            gain, variance = self._bridge(now, then)
            X = then.mean(middle, M_0) + gain * (X - now.mean(middle, M_0))
            if variance is not None and t > 0:
                X = X + variance.clamp_min(0.0).sqrt() * noise(s, t, X)
            yield X

    @abstractmethod
    def _bridge(self, now: Surrogate, then: Surrogate) -> tuple[Tensor, Tensor | None]:
        """Return the factor of the deviation from the mean, and the variance of the noise, if any."""


class Exponential(_Multistep):
    """The exact Gaussian bridge to a predicted hypergraph: second order in the drift, one evaluation per step."""

    noise_share = 1.0

    def _bridge(self, now: Surrogate, then: Surrogate) -> tuple[Tensor, Tensor | None]:
        between = now.a / then.a
        gain = between * then.v / now.v
        return gain, then.v * (1 - between * gain)

    def noise_weight(self, r: Tensor, t: float) -> Tensor:
        r"""Return the gain from each time to ``t``, times :math:`\sqrt{2\tau\beta}`."""
        then, at_r = self.field.surrogate(torch.tensor([t], dtype=torch.float64)), self.field.surrogate(r)
        return self._bridge(at_r, then)[0].flatten() * at_r.noise.flatten().sqrt()


class Flow(_Multistep):
    """The probability-flow ODE: no noise after the start."""

    noise_share = 0.5

    def _bridge(self, now: Surrogate, then: Surrogate) -> tuple[Tensor, Tensor | None]:
        return (then.v / now.v).sqrt(), None


#: The samplers by name.
SAMPLERS: dict[str, Callable[[ReverseField], Sampler]] = {
    "euler-maruyama": EulerMaruyama,
    "exponential": Exponential,
    "flow": Flow,
}


def sample(
    sampler: Sampler,
    start: Tensor,
    grid: Sequence[float],
    *,
    generator: torch.Generator | None = None,
    noise: Noise | None = None,
    path: list[Tensor] | None = None,
) -> Tensor:
    """Run a sampler along a grid and return the relaxed states at its end.

    Parameters
    ----------
    sampler
        The scheme, with its field.
    start
        States at the first time of the grid, ``(B, N, M)``.
    grid
        Descending times, as :func:`time_grid` makes them.
    generator
        The source of the noise.
    noise
        A function to take the noise from instead, see :meth:`Sampler.walk`.
    path
        A list to which the state at every time of the grid is added.
    """

    def fresh(_s: float, _t: float, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=like.dtype, device=like.device)

    X = start
    for X in chain([start], sampler.walk(start, grid, noise or fresh)):
        if path is not None:
            path.append(X)
    return X


def brownian_noise(sampler: Sampler, increments: Tensor, start: float, stop: float) -> Noise:
    r"""Return the noise that belongs to one Brownian path: runs with other steps can then be compared path by path.

    Parameters
    ----------
    sampler
        The scheme, whose noise is the integral of :meth:`Sampler.noise_weight`.
    increments
        The path's increments on a uniform grid from ``start`` down to ``stop``, ``(steps, B, N, M)``; the times of a
        run must lie on that grid.
    """
    h = (start - stop) / len(increments)

    def noise(s: float, t: float, _like: Tensor) -> Tensor:
        first, last = round((start - s) / h), round((start - t) / h)
        r = start - h * (torch.arange(first, last, dtype=torch.float64) + 0.5)
        weight = sampler.noise_weight(r, t)
        integral = torch.einsum("k,kbnm->bnm", weight, increments[first:last])
        return integral / math.sqrt(float((weight**2).sum()) * h)

    return noise
