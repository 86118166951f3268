r"""Schedules: how heat gives way to Ornstein–Uhlenbeck noise along the forward time :math:`s \in [0, S]`.

.. math:: \alpha + \beta = 1, \quad \alpha(0) = 1, \quad \beta(0) = 0, \quad \beta \text{ increasing}, \quad
          \beta > 0 \text{ on } (0, S]                                                     \qquad (6)

and their integrals :math:`A(s) = \int_0^s \alpha` and :math:`B(s) = \int_0^s \beta`, with :math:`A + B = s`.

The default is the cosine schedule :math:`\beta = \sin^2(\pi s / 2S)`: :math:`\sqrt\beta` is Lipschitz, as the paper's
Euler–Maruyama corollary requires; that of the linear schedule is not, at 0. Every schedule also knows how :math:`\beta`
begins, :math:`\beta \sim s^p` (:attr:`Schedule.order`), which decides how the variance begins, :math:`C_s \sim s^{p + 1}`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from hyperhedge.errors import ScheduleError

__all__ = ["Cosine", "Custom", "Linear", "Power", "Schedule"]


@dataclass(frozen=True)
class Schedule(ABC):
    """A schedule on ``[0, horizon]``; its functions take and return tensors of any shape."""

    horizon: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.horizon) and self.horizon > 0):
            raise ScheduleError(f"horizon must be a positive number, not {self.horizon!r}")
        self._check()

    @property
    @abstractmethod
    def order(self) -> float:
        r"""The power :math:`p` with which :math:`\beta \sim s^p` begins."""

    @abstractmethod
    def beta(self, s: Tensor) -> Tensor:
        r"""Return :math:`\beta(s)`."""

    @abstractmethod
    def B(self, s: Tensor) -> Tensor:
        r"""Return :math:`\int_0^s \beta`."""

    def alpha(self, s: Tensor) -> Tensor:
        r"""Return :math:`\alpha(s) = 1 - \beta(s)`."""
        return 1.0 - self.beta(s)

    def A(self, s: Tensor) -> Tensor:
        r"""Return :math:`\int_0^s \alpha = s - B(s)`."""
        return s - self.B(s)

    def _check(self) -> None:
        """Refuse a schedule that does not satisfy eq. 6 on a fine grid."""
        s = torch.linspace(0.0, self.horizon, 2049, dtype=torch.float64)
        beta = self.beta(s)
        if beta.shape != s.shape or not torch.isfinite(beta).all():
            raise ScheduleError("beta must be finite and have the shape of its argument")
        if abs(float(beta[0])) > 1e-12:
            raise ScheduleError(f"beta(0) must be 0, not {float(beta[0]):.3g}")
        if (beta[1:] <= 0).any():
            at = float(s[1:][beta[1:] <= 0][0])
            raise ScheduleError(f"beta must be positive on (0, S], but is not at s = {at:.4g}")
        if (beta > 1 + 1e-12).any() or (beta.diff() < -1e-12).any():
            raise ScheduleError("beta must increase from 0 to at most 1")


@dataclass(frozen=True)
class Cosine(Schedule):
    r""":math:`\beta(s) = \sin^2(\pi s / 2S)`.

    Examples
    --------
    >>> schedule = Cosine(2.0)
    >>> s = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    >>> schedule.beta(s).round(decimals=9).tolist(), round(schedule.A(s)[-1].item(), 9)
    ([0.0, 0.5, 1.0], 1.0)
    """

    @property
    def order(self) -> float:
        """Sine squared begins as a square."""
        return 2.0

    def beta(self, s: Tensor) -> Tensor:
        r"""Return :math:`\sin^2(\pi s / 2S)`."""
        return torch.sin(s * (math.pi / (2 * self.horizon))) ** 2

    def B(self, s: Tensor) -> Tensor:
        r"""Return :math:`s/2 - (S/2\pi) \sin(\pi s/S)`, by its series where that would cancel."""
        x = s * (math.pi / self.horizon)
        series = x**3 * (1 / 6 - x**2 * (1 / 120 - x**2 * (1 / 5040 - x**2 / 362880)))
        return self.horizon / (2 * math.pi) * torch.where(x < 0.1, series, x - torch.sin(x))


@dataclass(frozen=True)
class Power(Schedule):
    r""":math:`\beta(s) = (s/S)^p`, with :math:`p > 0`."""

    exponent: float = 2.0

    def _check(self) -> None:
        if not (math.isfinite(self.exponent) and self.exponent > 0):
            raise ScheduleError(f"exponent must be a positive number, not {self.exponent!r}")
        super()._check()

    @property
    def order(self) -> float:
        """The exponent."""
        return self.exponent

    def beta(self, s: Tensor) -> Tensor:
        r"""Return :math:`(s/S)^p`."""
        return (s / self.horizon) ** self.exponent

    def B(self, s: Tensor) -> Tensor:
        r"""Return :math:`s (s/S)^p / (p + 1)`."""
        return s * self.beta(s) / (self.exponent + 1)


@dataclass(frozen=True)
class Linear(Power):
    r""":math:`\beta(s) = s/S`."""

    exponent: float = field(default=1.0, init=False)


@dataclass(frozen=True)
class Custom(Schedule):
    r"""A schedule from a function :math:`\beta` of tensors, integrated by quadrature.

    ``begins_as`` is the power :math:`p` with which it begins, :math:`\beta \sim s^p`.

    Examples
    --------
    >>> smooth = Custom(1.0, lambda s: s**2 * (3 - 2 * s))
    >>> round(smooth.B(torch.tensor(1.0, dtype=torch.float64)).item(), 12)
    0.5
    >>> Custom(1.0, lambda s: s - 0.5)
    Traceback (most recent call last):
        ...
    hyperhedge.errors.ScheduleError: beta(0) must be 0, not -0.5
    """

    function: Callable[[Tensor], Tensor]
    begins_as: float = 1.0

    @property
    def order(self) -> float:
        """The power ``begins_as``."""
        return self.begins_as

    def beta(self, s: Tensor) -> Tensor:
        """Call the function."""
        return self.function(s)

    def B(self, s: Tensor) -> Tensor:
        """Integrate by Gauss–Legendre quadrature with 64 points, graded towards 0."""
        nodes, weights = np.polynomial.legendre.leggauss(64)
        v = torch.as_tensor((nodes + 1) / 2, dtype=s.dtype, device=s.device)
        w = torch.as_tensor(weights / 2, dtype=s.dtype, device=s.device) * 3 * v**2
        return s * (self.function(s[..., None] * v**3) * w).sum(-1)
