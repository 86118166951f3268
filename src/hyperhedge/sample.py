r"""Samplers: from noise to relaxed states, backwards along the process.

The reverse SDE (eq. 16), in the forward time :math:`s` that runs from :math:`S` down to 0, is

.. math:: \mathrm dY = u_s(Y)\,\mathrm dt + \sqrt{2\tau\beta(s)}\,\mathrm d\bar W_t, \qquad s = S - t .

*Near* :math:`s = 0` the drift grows as :math:`(p + 1)/s` when :math:`\beta \sim s^p`: with the cosine schedule an Euler
step that ends at 0 multiplies a deviation by :math:`1 - 3 = -2`, whatever its length. So grids may be warped towards 0,
and the last step does not follow the drift but returns the *data prediction*.

*Data prediction.* Replace all rates by a typical one, :math:`\bar\omega`. Then
:math:`X_s = a_s D + b_s M_0 + \sqrt{v_s}\,\varepsilon` with :math:`a, b, v` from
:meth:`HeatOU.mode_factors <hyperhedge.process.HeatOU.mode_factors>`, and the reverse drift of a known :math:`D` is

.. math:: u = \alpha\bar\omega X + \beta\gamma(X - M_0) - 2\tau\beta\, (X - a_s D - b_s M_0)/v_s .

Solving for :math:`D` turns any drift into a prediction of the data. It is exact in the drift (nothing is left out, the difference
between the rates is in :math:`D`), and bounded as :math:`s \to 0`, where the drift is not.

*The exponential sampler* holds :math:`D` fixed over a step and draws from the exact Gaussian bridge

.. math:: X_t \mid X_s, D \sim \mathcal N\bigl(m_t + k\,(X_s - m_s),\; v_t (1 - a_{s|t}^2 v_t / v_s)\bigr), \qquad
          m = a D + b M_0, \quad k = a_{s|t} v_t / v_s, \quad a_{s|t} = a_s / a_t ,

with :math:`D` extrapolated to the middle of the step, in :math:`\log(a/\sqrt v)`, from this step and the one before: the
multistep idea of DPM-Solver++ (2M), for this process. *The flow sampler* does the same for the probability-flow ODE,
:math:`X_t = m_t + \sqrt{v_t/v_s}\,(X_s - m_s)`.

Every sampler is one :meth:`Sampler.step`; one evaluation of the field a step.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor

from hyperhedge.oracle import ReverseField
from hyperhedge.schedule import ScheduleError

__all__ = [
    "SAMPLERS",
    "EulerMaruyama",
    "Exponential",
    "Flow",
    "Sampler",
    "Surrogate",
    "brownian_noise",
    "predict_data",
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


@dataclass(frozen=True)
class Surrogate:
    r"""The process with one rate for all modes: :math:`X_s = a D + b M_0 + \sqrt v\, \varepsilon`, at one time."""

    a: float
    b: float
    v: float

    @classmethod
    def at(cls, field: ReverseField, s: float) -> Surrogate:
        """Evaluate at a time; at 0, the state is the data."""
        if s <= 0:
            return cls(1.0, 0.0, 0.0)
        rate = torch.tensor([[field.rate]], dtype=torch.float64)
        time = torch.tensor([s], dtype=torch.float64)
        decay, first, second = field.process.mode_factors(rate, torch.zeros_like(rate), time)
        return cls(float(decay), field.process.gamma * float(first), 2 * field.process.tau * float(second))

    @property
    def log_snr(self) -> float:
        r"""Half the logarithm of the signal-to-noise ratio, :math:`\log(a / \sqrt v)`."""
        return math.log(self.a) - 0.5 * math.log(self.v)

    def mean(self, D: Tensor, M_0: Tensor) -> Tensor:
        """Return the mean of the state, given the data."""
        return self.a * D + self.b * M_0


def predict_data(field: ReverseField, X: Tensor, s: float, *, noise_share: float = 1.0) -> Tensor:
    """Turn the drift (or, with ``noise_share=0.5``, the velocity of the flow) into a prediction of the data."""
    process = field.process
    time = torch.full((len(X),), s, dtype=torch.float64, device=X.device)
    drift = process.combine(field.parts(X, time), X, time, noise_share=noise_share)
    beta = float(process.schedule.beta(time[0]))
    M_0 = process.base_mean(X)
    linear = (1 - beta) * field.rate * X + beta * process.gamma * (X - M_0)
    now = Surrogate.at(field, s)
    score = (drift - linear) / (2 * process.tau * noise_share * beta)
    return (X + now.v * score - now.b * M_0) / now.a


class Sampler(ABC):
    """A scheme that takes a state from time ``s`` to the earlier time ``t``, with one evaluation of the field."""

    def __init__(self, field: ReverseField) -> None:
        self.field = field

    @abstractmethod
    def step(self, X: Tensor, s: float, t: float, noise: Noise) -> Tensor:
        """Take one step; ``noise(s, t, X)`` gives standard normal numbers of the state's shape."""

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

    def step(self, X: Tensor, s: float, t: float, noise: Noise) -> Tensor:
        """Follow the drift, and add noise."""
        if t <= 0 and not self.literal:
            return predict_data(self.field, X, s)
        time = torch.full((len(X),), s, dtype=torch.float64, device=X.device)
        spread = math.sqrt(float(self.field.process.noise_rate(time[0])) * (s - t))
        return X + (s - t) * self.field.drift(X, time) + spread * noise(s, t, X)


class _Multistep(Sampler):
    """What the exponential samplers share: the prediction of the data, extrapolated from two steps."""

    noise_share = 1.0

    def __init__(self, field: ReverseField, *, order: Literal[1, 2] = 2) -> None:
        super().__init__(field)
        self.order = order
        self._before: tuple[float, Tensor] | None = None

    def _data(self, X: Tensor, s: float, now: Surrogate, then: Surrogate) -> Tensor:
        """Predict the data for the middle of the step."""
        D = predict_data(self.field, X, s, noise_share=self.noise_share)
        before, self._before = self._before, (now.log_snr, D)
        if self.order == 1 or before is None or then.v == 0:
            return D
        ratio = (then.log_snr - now.log_snr) / (now.log_snr - before[0])
        return D + 0.5 * ratio * (D - before[1])


class Exponential(_Multistep):
    """The exact Gaussian bridge to a predicted hypergraph: second order in the drift, one evaluation a step."""

    def step(self, X: Tensor, s: float, t: float, noise: Noise) -> Tensor:
        """Draw from the bridge."""
        now, then = Surrogate.at(self.field, s), Surrogate.at(self.field, t)
        D, M_0 = self._data(X, s, now, then), self.field.process.base_mean(X)
        between = now.a / then.a
        gain = between * then.v / now.v
        variance = then.v * (1 - between * gain)
        mean = then.mean(D, M_0) + gain * (X - now.mean(D, M_0))
        return mean + math.sqrt(max(variance, 0.0)) * noise(s, t, X) if then.v else mean

    def noise_weight(self, r: Tensor, t: float) -> Tensor:
        r"""Return the gain from each time to ``t``, times :math:`\sqrt{2\tau\beta}`."""
        then = Surrogate.at(self.field, t)
        at_r = [Surrogate.at(self.field, float(x)) for x in r]
        gains = torch.tensor([x.a / then.a * then.v / x.v for x in at_r], dtype=torch.float64)
        return gains * self.field.process.noise_rate(r).sqrt()


class Flow(_Multistep):
    """The probability-flow ODE: no noise after the start."""

    noise_share = 0.5

    def step(self, X: Tensor, s: float, t: float, noise: Noise) -> Tensor:
        """Follow the flow."""
        del noise
        now, then = Surrogate.at(self.field, s), Surrogate.at(self.field, t)
        D, M_0 = self._data(X, s, now, then), self.field.process.base_mean(X)
        return then.mean(D, M_0) + math.sqrt(then.v / now.v) * (X - now.mean(D, M_0))


#: The samplers by name.
SAMPLERS: dict[str, Callable[[ReverseField], Sampler]] = {
    "euler-maruyama": EulerMaruyama,
    "exponential": Exponential,
    "flow": Flow,
}


def sample(
    sampler: Sampler,
    start: Tensor,
    grid: list[float],
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
        Where the noise comes from.
    noise
        Noise of one's own, instead of the generator's.
    path
        A list to which the state at every time of the grid is added.
    """

    def draw(_s: float, _t: float, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=like.dtype, device=like.device)

    X = start
    if path is not None:
        path.append(X)
    for s, t in pairwise(grid):
        X = sampler.step(X, s, t, noise or draw)
        if path is not None:
            path.append(X)
    return X


def brownian_noise(sampler: Sampler, increments: Tensor, start: float, stop: float) -> Noise:
    r"""Return the noise that belongs to one Brownian path, so that runs with other steps can be compared path by path.

    Parameters
    ----------
    sampler
        The scheme, whose :meth:`Sampler.noise_weight` says what its noise is an integral of.
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
