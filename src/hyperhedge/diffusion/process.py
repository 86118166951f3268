r"""The structured heat–OU process and its conditional Gaussian law.

Given a hypergraph with incidence matrix :math:`H`, the forward process (eq. 7) is

.. math:: \mathrm dX_s = -\alpha(s) \mathcal A_H(X_s)\,\mathrm ds - \beta(s)\gamma (X_s - M_0)\,\mathrm ds
          + \sqrt{2\tau\beta(s)}\,\mathrm dW_s, \qquad X_0 = H,

with the base law :math:`\mathcal N(M_0, (\tau/\gamma) I)` (eq. 8). In the basis of
:class:`~hyperhedge.diffusion.laplacians.Spectrum` every mode of rate :math:`\omega = \lambda_i + \mu_j` is a scalar Gaussian
(eqs. 10 and 11) with

.. math::

    \text{mean} &= e^{-\omega A(s) - \gamma B(s)}\, \widetilde h + \gamma\, \widetilde m_0\, I_1(\omega, s), \\
    \text{variance} &= 2\tau\, I_2(\omega, s), \\
    I_k(\omega, s) &= \int_0^s \beta(u)\, e^{-k[\omega (A(s) - A(u)) + \gamma (B(s) - B(u))]}\,\mathrm du .

*The integrals are separable.* A quadrature rule with nodes :math:`u_q` gives

.. math:: I_k \approx \sum_q w_q \beta(u_q) e^{-k\gamma\Delta B_q} \cdot e^{-k\lambda_i \Delta A_q} \cdot e^{-k\mu_j \Delta A_q},

a product of an :math:`n \times Q` and a :math:`Q \times m` matrix: no table to interpolate, :math:`(n + m)\,Q` exponentials, and
one batched matrix product for all modes. All terms are positive, so the *relative* accuracy holds down to :math:`s \to 0`, where
:math:`I_2 \sim s^{p + 1}`. When a process is made, it chooses as many Gauss–Legendre nodes as make this accuracy that of
the arithmetic. The small factors are always computed in double precision.

From the law follow the conditional score (eq. 12) and the conditional reverse drift (eq. 14),

.. math:: r^\star_{s|H} = -C_s^{-1} (X - m_s), \qquad
          u^\star_{s|H} = \alpha \mathcal A_H(X) + \beta\gamma (X - M_0) + 2\tau\beta\, r^\star_{s|H}(X).

*The surrogate.* With one typical rate :math:`\bar\omega` for all modes, the state is
:math:`X_s = a D + b M_0 + \sqrt v\,\varepsilon` with numbers :math:`a, b, v`, and a reverse drift with the structural part
:math:`\mathcal S = \alpha \mathcal A(X)` and the score :math:`r` says as much as a prediction :math:`D` of the data and its
structural part :math:`Q`:

.. math:: D = R + Q, \qquad R = \frac{X + v\,r - b M_0}{a}, \qquad
          Q = \frac{v}{2\tau\beta a}\bigl(\mathcal S - \alpha\bar\omega X\bigr).

If all rates were :math:`\bar\omega`, :math:`Q` would vanish and :math:`R` would be the posterior mean of the data. In general
nothing is approximated: the map is affine and invertible at every :math:`s > 0`, and the difference between the rates is in
:math:`Q`. Unlike the drift, which grows as :math:`1/s`, the prediction is bounded as :math:`s \to 0`. :class:`Surrogate` maps
both ways.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.laplacians import Spectrum, Variant
from hyperhedge.diffusion.schedules import Cosine, Schedule
from hyperhedge.errors import ScheduleError

__all__ = ["Gaussian", "HeatOU", "Parts", "Surrogate", "choose_horizon"]

MAX_RATE = 3.0  # λ ≤ 1 and μ ≤ 2
TOLERANCE = 1e-12  # relative, of the quadrature: a few thousand times machine precision
MAX_HORIZON = 256.0  # where the search gives up: gamma is far too small


@dataclass(frozen=True)
class Parts:
    r"""The two parts of a reverse drift: the heat to undo, and the score.

    Attributes
    ----------
    structure
        :math:`\alpha(s)\, \mathcal A(X)`, of one hypergraph or averaged over many.
    score
        :math:`\nabla \log p_s(X)`.
    """

    structure: Tensor
    score: Tensor


@dataclass(frozen=True)
class Surrogate:
    r"""The process with one rate for all modes, at times ``(T,)``: :math:`X_s = a D + b M_0 + \sqrt v\,\varepsilon`.

    :meth:`HeatOU.surrogate` makes it; see the module for the mathematics. One time goes with all states of a batch, and as many
    times as there are states with one each.

    Attributes
    ----------
    s
        The times, ``(T,)``.
    a, b, v
        The coefficients, ``(T, 1, 1)``.
    heat
        :math:`\alpha\bar\omega`, the rate that stands in for the structural part, ``(T, 1, 1)``.
    noise
        The squared diffusion coefficient :math:`2\tau\beta`, ``(T, 1, 1)``.
    """

    s: Tensor
    a: Tensor
    b: Tensor
    v: Tensor
    heat: Tensor
    noise: Tensor

    def __getitem__(self, index: slice) -> Surrogate:
        """Select times."""
        return Surrogate(*(getattr(self, f.name)[index] for f in fields(self)))

    def to(self, dtype: torch.dtype) -> Surrogate:
        """Change the precision of the coefficients; times stay as they are."""
        return Surrogate(self.s, *(getattr(self, f.name).to(dtype) for f in fields(self)[1:]))

    @property
    def log_snr(self) -> Tensor:
        r"""Half the logarithm of the signal-to-noise ratio, :math:`\log(a / \sqrt v)`, ``(T, 1, 1)``."""
        return self.a.log() - 0.5 * self.v.log()

    def mean(self, D: Tensor, M_0: Tensor | float) -> Tensor:
        """Return the mean of the state given the data."""
        return self.a * D + self.b * M_0

    def predictions(self, X: Tensor, parts: Parts, M_0: Tensor | float) -> tuple[Tensor, Tensor]:
        """Turn the parts of a drift into a prediction :math:`D` of the data and its structural part :math:`Q`."""
        R = (X + self.v * parts.score - self.b * M_0) / self.a
        Q = self.v / (self.noise * self.a) * (parts.structure - self.heat * X)
        return R + Q, Q

    def parts(self, X: Tensor, D: Tensor, Q: Tensor, M_0: Tensor | float) -> Parts:
        """Turn predictions back into the parts of a drift."""
        return Parts(self.heat * X + self.noise * self.a / self.v * Q, (self.mean(D - Q, M_0) - X) / self.v)


@dataclass(frozen=True)
class Gaussian:
    r"""The conditional law of :math:`X_s` given a hypergraph, for each member of a batch.

    ``mean`` and ``variance`` are those of the modes, of shape ``(B, N, M)``; padded modes have mean 0 and variance 1
    and are left out of samples, scores and densities. ``base`` holds the modes of :math:`M_0`, or None if that is zero.
    """

    spectrum: Spectrum
    mean: Tensor
    variance: Tensor
    base: Tensor | None = None

    @cached_property
    def _mask(self) -> Tensor:
        return self.spectrum.shapes.mask.to(self.mean.device)

    def sample(self, generator: torch.Generator | None = None) -> Tensor:
        """Sample a state."""
        noise = torch.randn(self.mean.shape, generator=generator, dtype=self.mean.dtype, device=self.mean.device)
        return self.from_noise(noise)

    def from_noise(self, noise: Tensor) -> Tensor:
        """Turn standard normal modes into a state."""
        return self.spectrum.backward((self.mean + self.variance.sqrt() * noise) * self._mask)

    def mean_state(self) -> Tensor:
        """Return the mean as a state."""
        return self.spectrum.backward(self.mean * self._mask)

    def score(self, X: Tensor) -> Tensor:
        r"""Return :math:`\nabla \log p_{s|H}(X)` (eq. 12)."""
        return self.spectrum.backward(self._score_modes(self.spectrum.forward(X)))

    def _score_modes(self, modes: Tensor) -> Tensor:
        return (self.mean - modes) / self.variance * self._mask

    def log_prob(self, X: Tensor) -> Tensor:
        r"""Return :math:`\log p_{s|H}(X)`, of shape ``(B,)``."""
        squares = (self.spectrum.forward(X) - self.mean) ** 2 / self.variance
        terms = squares + torch.log(2 * math.pi * self.variance)
        return -0.5 * torch.where(self._mask, terms, 0.0).sum((-2, -1))


@dataclass(frozen=True, eq=False)
class HeatOU:
    r"""The heat–OU process: a schedule, :math:`\gamma`, :math:`\tau`, the base mean and the variant of the heat operator.

    Parameters
    ----------
    schedule
        With the horizon :math:`S`; the cosine schedule on [0, 4] by default.
    gamma, tau
        The OU rate and temperature; the base law has the variance :math:`\tau/\gamma`.
    mean
        The base mean :math:`M_0`: a number (0, or the density of the data, :meth:`with_density_of`), or a matrix.
    variant
        The sides of the heat operator: ``full`` (both), ``node``, ``edge`` or ``ou`` (none).

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.diffusion.laplacians import spectrum_of
    >>> from hyperhedge.diffusion.batch import encode
    >>> H = Hypergraph([[0, 1], [1, 2]])
    >>> process, s = HeatOU(), torch.tensor([0.5], dtype=torch.float64)
    >>> law = process.law(encode([H]).matrix, spectrum_of([H]), s)
    >>> X = law.sample(torch.Generator().manual_seed(0))
    >>> process.reverse_drift(law, X, s).shape
    torch.Size([1, 3, 2])
    """

    schedule: Schedule = field(default_factory=lambda: Cosine(4.0))
    gamma: float = 2.0
    tau: float = 1.0
    mean: float | Tensor = 0.0
    variant: Variant = "full"
    _rule: tuple[Tensor, Tensor] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in (("gamma", self.gamma), ("tau", self.tau)):
            if not (math.isfinite(value) and value > 0):
                raise ScheduleError(f"{name} must be a positive number, not {value!r}")
        if not torch.isfinite(torch.as_tensor(self.mean)).all():
            raise ScheduleError("the base mean must be finite")
        object.__setattr__(self, "_rule", self._find_rule())

    def with_density_of(self, hypergraphs: Iterable[Hypergraph]) -> HeatOU:
        """Return the process whose base mean is the mean density of some hypergraphs.

        Examples
        --------
        >>> from hyperhedge import Hypergraph
        >>> HeatOU().with_density_of([Hypergraph([[0, 1], [1]]), Hypergraph([[0]], nodes=2)]).mean
        0.625
        """
        densities = [H.density for H in hypergraphs]
        if not densities:
            raise ScheduleError("with_density_of needs at least one hypergraph")
        return replace(self, mean=sum(densities) / len(densities))

    # -- the schedule ------------------------------------------------------------------

    @property
    def horizon(self) -> float:
        """The terminal time :math:`S`."""
        return self.schedule.horizon

    @property
    def base_variance(self) -> float:
        r"""The variance :math:`\tau/\gamma` of the base law."""
        return self.tau / self.gamma

    def noise_rate(self, s: Tensor) -> Tensor:
        r"""Return the squared diffusion coefficient :math:`2\tau\beta(s)`."""
        return 2 * self.tau * self.schedule.beta(s)

    def base_mean(self, like: Tensor) -> Tensor:
        """Return :math:`M_0` as a tensor of a state's shape, type and device."""
        if isinstance(self.mean, Tensor) and self.mean.ndim and self.mean.shape != like.shape[-2:]:
            raise ScheduleError(
                f"the base mean has the shape {tuple(self.mean.shape)}, but states have {tuple(like.shape[-2:])}"
            )
        return torch.as_tensor(self.mean, dtype=like.dtype, device=like.device).expand(like.shape[-2:])

    # -- the law ---------------------------------------------------------------------------------

    def law(self, H: Tensor, spectrum: Spectrum, s: Tensor) -> Gaussian:
        r"""Return the law of :math:`X_s` given incidence matrices ``(B, N, M)``, at times ``(B,)`` in (0, S]."""
        self._check_times(s, len(H))
        if not torch.isfinite(H).all():
            raise ScheduleError("H contains NaN or infinity")
        if H.shape != spectrum.shapes.mask.shape:
            raise ScheduleError(
                f"H has the shape {tuple(H.shape)}, but the spectrum is of matrices {tuple(spectrum.shapes.mask.shape)}"
            )
        spectrum = spectrum.variant(self.variant)
        decay, first, second = self.mode_factors(spectrum.lam, spectrum.mu, s)
        mask = spectrum.shapes.mask.to(H.device)
        mean = decay * spectrum.forward(H)
        base = self._base_modes(spectrum, H)
        if base is not None:
            mean = mean + self.gamma * first * base
        variance = torch.where(mask, 2 * self.tau * second, 1.0)
        return Gaussian(spectrum, mean * mask, variance, base)

    def _base_modes(self, spectrum: Spectrum, like: Tensor) -> Tensor | None:
        """Return the modes of :math:`M_0`, or None if it is zero; those of a number are an outer product."""
        if isinstance(self.mean, Tensor):
            return spectrum.forward(self.base_mean(like) * spectrum.shapes.mask.to(like.device))
        if self.mean == 0:
            return None
        rows, columns = (mask.to(like) for mask in (spectrum.shapes.node_mask, spectrum.shapes.edge_mask))
        left, right = (rows[:, None, :] @ spectrum.U).mT, columns[:, None, :] @ spectrum.V
        return self.mean * left * right

    def sample_with_parts(self, H: Tensor, spectrum: Spectrum, s: Tensor, noise: Tensor) -> tuple[Tensor, Parts]:
        r"""Return the states :math:`X_s` that standard normal noise gives, with the parts of their conditional reverse drift.

        The same as sampling from :meth:`law` and calling :meth:`parts`, and cheaper: the state is already in its modes, where
        the score is :math:`-\varepsilon/\sqrt{C}` with the noise :math:`\varepsilon` that made it. Training needs just this.
        """
        law = self.law(H, spectrum, s)
        deviation = law.variance.sqrt()
        modes = (law.mean + deviation * noise) * law._mask
        structure = self._heat_rates(law, s) * modes
        score = -noise / deviation * law._mask
        backward = law.spectrum.backward
        return backward(modes), Parts(backward(structure), backward(score))

    def mode_factors(self, lam: Tensor, mu: Tensor, s: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r"""Return :math:`e^{-\omega A - \gamma B}`, :math:`I_1` and :math:`I_2` for all modes, of shape ``(B, N, M)``."""
        s64 = s.double()
        u, weights = self._nodes(s64)
        late_A = self.schedule.A(s64)[:, None] - self.schedule.A(u)  # (B, Q)
        late_B = self.schedule.B(s64)[:, None] - self.schedule.B(u)
        beta = weights * self.schedule.beta(u)
        left, right, pull = (torch.exp(-x) for x in (_outer(lam, late_A), _outer(mu, late_A), self.gamma * late_B))
        first = _product(left, right, beta * pull, lam.dtype)
        second = _product(left**2, right**2, beta * pull**2, lam.dtype)
        all_A, all_B = self.schedule.A(s64)[:, None], self.schedule.B(s64)[:, None]
        all_left, all_right, all_pull = (torch.exp(-x) for x in (lam * all_A, mu * all_A, self.gamma * all_B))
        decay = (all_pull * all_left)[:, :, None] * all_right[:, None, :]
        return decay.to(lam.dtype), first, second

    def surrogate(self, rate: float, s: Tensor) -> Surrogate:
        """Return the process with one rate for all modes at times ``(T,)`` in [0, S], in double precision."""
        rates = torch.full((len(s), 1), rate, dtype=torch.float64, device=s.device)
        decay, first, second = self.mode_factors(rates, torch.zeros_like(rates), s)
        beta = self.schedule.beta(s.double())[:, None, None]
        return Surrogate(
            s, decay, self.gamma * first, 2 * self.tau * second, heat=(1 - beta) * rate, noise=2 * self.tau * beta
        )

    def _nodes(self, s: Tensor) -> tuple[Tensor, Tensor]:
        """Return the quadrature nodes and weights on [0, s], of shape ``(B, Q)``."""
        nodes, weights = (values.to(s.device) for values in self._rule)
        return s[:, None] * nodes, s[:, None] * weights

    def _find_rule(self) -> tuple[Tensor, Tensor]:
        """Return the shortest Gauss–Legendre rule that integrates the extreme modes within the tolerance."""
        s = self.horizon * torch.tensor([1e-4, 1e-2, 0.1, 0.5, 1.0], dtype=torch.float64)
        previous = None
        for count in (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384):
            object.__setattr__(self, "_rule", _graded_rule(count, self.schedule.order))
            rates = torch.tensor([0.0, 1.0, MAX_RATE], dtype=torch.float64).repeat(len(s), 1)
            integrals = torch.stack(self.mode_factors(rates, torch.zeros_like(rates[:, :1]), s)[1:])
            if not torch.isfinite(integrals).all() or (integrals <= 0).any():
                raise ScheduleError("the variance is not positive: beta is too small near s = 0, or gamma too large")
            if previous is not None and ((integrals - previous).abs() <= TOLERANCE * integrals).all():
                return self._rule
            previous = integrals
        raise ScheduleError("the schedule is not smooth enough to integrate: use a smooth function for beta")

    def _check_times(self, s: Tensor, count: int) -> None:
        if s.shape != (count,):
            raise ScheduleError(f"s must have the shape ({count},), one time per hypergraph, not {tuple(s.shape)}")
        if not ((s > 0) & (s <= self.horizon * (1 + 1e-12))).all():
            raise ScheduleError(f"times must be in (0, {self.horizon:g}]")

    # -- drifts ----------------------------------------------------------------------------------

    def parts(self, law: Gaussian, X: Tensor, s: Tensor) -> Parts:
        """Return the structural part and the score of the conditional reverse drift."""
        modes = law.spectrum.forward(X)
        structure = law.spectrum.backward(self._heat_rates(law, s) * modes)
        return Parts(structure, law.spectrum.backward(law._score_modes(modes)))

    def _heat_rates(self, law: Gaussian, s: Tensor) -> Tensor:
        r"""Return :math:`\alpha\omega` of all modes."""
        return self.schedule.alpha(s.double()).to(law.mean.dtype)[:, None, None] * law.spectrum.rates

    def combine(self, parts: Parts, X: Tensor, s: Tensor, *, noise_share: float = 1.0) -> Tensor:
        r"""Return :math:`\text{structure} + \beta\gamma(X - M_0) + 2\tau\beta\, k\, \text{score}`.

        With :math:`k = 1` (``noise_share``) this is the reverse drift (eq. 14), with :math:`k = 1/2` the velocity of the
        probability-flow ODE, which has the same marginals and no noise.
        """
        beta = self.schedule.beta(s.double()).to(X.dtype)[:, None, None]
        pull = beta * self.gamma * (X - self.base_mean(X))
        return parts.structure + pull + 2 * self.tau * noise_share * beta * parts.score

    def reverse_drift(self, law: Gaussian, X: Tensor, s: Tensor) -> Tensor:
        r"""Return the conditional reverse drift :math:`u^\star_{s|H}(X)` (eq. 14)."""
        mask = law.spectrum.shapes.mask.to(X.device)
        return torch.where(mask, self.combine(self.parts(law, X, s), X, s), 0.0)

    # -- the base law ----------------------------------------------------------------------------

    def base_sample(self, count: int, rows: int, columns: int, generator: torch.Generator | None = None) -> Tensor:
        r"""Sample states from :math:`\mathcal N(M_0, (\tau/\gamma) I)`, in double precision."""
        noise = torch.randn((count, rows, columns), generator=generator, dtype=torch.float64)
        return self.base_mean(noise) + math.sqrt(self.base_variance) * noise

    def base_distance(self, H: Tensor, spectrum: Spectrum) -> tuple[Tensor, Tensor]:
        r"""Return how far the true terminal law of each hypergraph is from the base law.

        Returns
        -------
        kl
            :math:`\mathrm{KL}(p_{S|H} \,\|\, \text{base})`, in nats.
        w2
            The Wasserstein distance :math:`W_2` between them.
        """
        s = torch.full((len(H),), self.horizon, dtype=torch.float64, device=H.device)
        law = self.law(H, spectrum, s)
        mask = spectrum.shapes.mask.to(H.device)
        shift = (law.mean - (0.0 if law.base is None else law.base)) ** 2
        ratio = law.variance / self.base_variance
        kl = 0.5 * (ratio - 1 - torch.log(ratio) + shift / self.base_variance)
        w2 = shift + (law.variance.sqrt() - math.sqrt(self.base_variance)) ** 2
        return torch.where(mask, kl, 0.0).sum((-2, -1)), torch.where(mask, w2, 0.0).sum((-2, -1)).sqrt()


def _outer(rates: Tensor, times: Tensor) -> Tensor:
    """Return all products of rates ``(B, N)`` and times ``(B, Q)``, in double precision."""
    return rates.double()[:, :, None] * times[:, None, :]


def _product(left: Tensor, right: Tensor, weights: Tensor, dtype: torch.dtype) -> Tensor:
    r"""Return :math:`\sum_q w_q\, \text{left}_{iq}\, \text{right}_{jq}`; all terms are positive, nothing cancels."""
    return (left * weights[:, None, :]).to(dtype) @ right.to(dtype).mT


def _graded_rule(count: int, order: float) -> tuple[Tensor, Tensor]:
    r"""Return Gauss–Legendre nodes and weights on [0, 1], graded as :math:`u = v^k` where :math:`\beta` is not smooth at 0."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    v, w = (nodes + 1) / 2, weights / 2
    grade = 1 if float(order).is_integer() else 4
    return torch.from_numpy(v**grade), torch.from_numpy(w * grade * v ** (grade - 1))


def choose_horizon(process: HeatOU, H: Tensor, spectrum: Spectrum, *, tolerance: float = 0.01) -> float:
    r"""Return the shortest horizon whose terminal law is within ``tolerance`` nats of the base law, on average.

    The horizon of the process is scaled and everything else kept; the divergence falls as the horizon grows.
    """

    def divergence(horizon: float) -> float:
        longer = replace(process, schedule=replace(process.schedule, horizon=horizon))
        return float(longer.base_distance(H, spectrum)[0].mean())

    low = high = 0.25
    while divergence(high) > tolerance:
        low, high = high, 2 * high
        if high > MAX_HORIZON:
            raise ScheduleError(
                f"no horizon up to {MAX_HORIZON:g} comes within {tolerance} nats of the base law; use a larger gamma"
            )
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if divergence(middle) <= tolerance else (middle, high)
    return high
