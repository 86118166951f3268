r"""The network as a reverse field: what it sees, what it predicts, and the loss.

*What is predicted.* The reverse drift grows as :math:`1/s` near the data, so it is never regressed as it is. With the surrogate
process of :mod:`hyperhedge.sample`, :math:`X_s = a D + b M_0 + \sqrt v\,\varepsilon` with one typical rate :math:`\bar\omega`,
every drift is a bounded *data prediction* :math:`D`, and the other way round:

.. math:: u = \alpha\bar\omega X + \beta\gamma(X - M_0) - 2\tau\beta\,(X - aD - bM_0)/v .

The map is affine in :math:`u` at every :math:`s`, so the minimiser of a squared error in :math:`D` is the minimiser of eq. 15
at that :math:`s`, and a weight in :math:`s` is all that changes. The conditional target of hypergraph :math:`H` is
:math:`D^\star = R^\star + Q^\star` with

.. math::
    R^\star = (X + v\,r^\star_{s|H}(X) - bM_0)/a, \qquad
    Q^\star = \frac{v\,\alpha}{2\tau\beta a}\bigl(\mathcal A_H X - \bar\omega X\bigr),

its score part and its structural part. A second head predicts :math:`Q^\star` alone: then both parts are known, and with them
the probability flow (whose data prediction is :math:`R + 2Q`).

*Preconditioning* (Karras et al. 2022). Entries are 0 or 1. If they were independent and the surrogate were exact, their posterior
mean would be

.. math:: P = \sigma\Bigl(\log\tfrac{\rho}{1 - \rho} + \tfrac av\,(X - bM_0 - \tfrac a2)\Bigr),

and the network :math:`F` predicts what is missing, in units of its size: :math:`D = P + c_D(s)\,F_D`, :math:`Q = c_Q(s)\,F_Q`,
with :math:`c^2 = \mathbb E|D^\star - P|^2` and :math:`\mathbb E|Q^\star|^2`, measured on the training set. The loss is

.. math:: \mathbb E\,\bigl|F_D - (D^\star - P)/c_D\bigr|^2 + \mathbb E\,\bigl|F_Q - Q^\star/c_Q\bigr|^2 .

A posterior mean lies among the targets, so predictions are clipped to :math:`2 + 10c`, which is beyond any target: an exact field
is not changed, and the states of a network that was hardly trained stay finite, as each step of a sampler moves towards
:math:`D`. Walks in the network are cubic in its states, so that it can overflow where it was never trained; there :math:`D = P`.

*What the network sees* of each entry, all of it equivariant: the state :math:`X` standardised; :math:`P`; the soft operators of
:math:`P` applied to :math:`X` and :math:`P`; :math:`P P^\top P`, which tells how much a hyperedge shares with a node's other
hyperedges; and expected degrees and sizes. Its context is the time, as :math:`\log(a/\sqrt v)`.

*What may be given.* The law of hypergraphs factorises as :math:`p(H) = p(k)\,p(H \mid k)` with :math:`k = H^\top \mathbf 1` the
hyperedge sizes (or with the degrees too), :math:`p(k)` is in the training set, and the diffusion may learn :math:`p(H \mid k)`
alone: the theory above holds for the conditional law as it stands. The given marginals are inputs of the network, beside how far
those of :math:`P` are from them, and make the prior :math:`\rho` in :math:`P` one of the column, :math:`\rho_e = k_e / n`, or of
the entry, :math:`\rho_{ve} = d_v k_e / \sum_e k_e`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from hyperhedge.incidence import Sizes
from hyperhedge.network import IncidenceNetwork, NetworkConfig
from hyperhedge.operators import Spectrum, node_laplacian, overlap_laplacian
from hyperhedge.oracle import ReverseField
from hyperhedge.process import HeatOU, Parts
from hyperhedge.schedule import ScheduleError

__all__ = ["CONTEXT", "FEATURES", "GIVEN", "Drift", "Given", "LearnedField", "Marginals", "Scales", "Targets"]

#: What a sample is given, and the diffusion need not learn.
Given: TypeAlias = Literal["nothing", "sizes", "both"]

#: How many features what is given adds.
GIVEN: dict[str, int] = {"nothing": 0, "sizes": 2, "both": 4}

#: How many numbers the network sees of each entry, if nothing is given.
FEATURES = 9

_FREQUENCIES = (0.25, 0.5, 1.0, 2.0, 4.0)

#: How many numbers it sees of the whole hypergraph: the time.
CONTEXT = 2 * len(_FREQUENCIES) + 1

_LEAST_DENSITY = 1e-4
_LEAST_SCALE = 1e-6
_REACH, _REACH_IN_SCALES = 2.0, 10.0
_NAMES = {"sizes": "hyperedge sizes", "both": "hyperedge sizes and degrees"}


@dataclass(frozen=True)
class Targets:
    r"""Noisy states with what the network should predict of them: :math:`D^\star` and :math:`Q^\star`."""

    X: Tensor
    data: Tensor
    structure: Tensor


@dataclass(frozen=True)
class Marginals:
    """Hyperedge sizes and node degrees that are given, of shapes ``(B, 1, M)`` and ``(B, N, 1)``."""

    sizes: Tensor
    degrees: Tensor

    @classmethod
    def of(cls, H: Tensor) -> Marginals:
        """Return those of incidence matrices."""
        return cls(H.sum(-2, keepdim=True), H.sum(-1, keepdim=True))


@dataclass(frozen=True)
class Scales:
    """The sizes of what the network predicts, on a grid of times: :math:`c_D` and :math:`c_Q`."""

    times: Tensor
    data: Tensor
    structure: Tensor

    def at(self, s: Tensor) -> tuple[Tensor, Tensor]:
        """Interpolate at times ``(B,)``; of shape ``(B, 1, 1)``."""
        times, *sizes = (part.to(s.device) for part in (self.times, self.data, self.structure))
        place = torch.searchsorted(times, s.double()).clamp(1, len(times) - 1)
        left, right = times[place - 1], times[place]
        share = ((s - left) / (right - left)).clamp(0.0, 1.0)
        found = (torch.lerp(c[place - 1], c[place], share) for c in sizes)
        data, structure = (c[:, None, None].float() for c in found)
        return data, structure


class Drift(nn.Module):
    """The preconditioned network for one process, density and typical rate.

    Parameters
    ----------
    process
        The forward process; its base mean is a number.
    density
        The training set's density.
    rate
        The typical rate of its modes.
    given
        Which marginals are given: ``"nothing"``, ``"sizes"`` of hyperedges, or ``"both"`` these and node degrees.
    network
        The network's shape; inputs and outputs are set here.
    """

    def __init__(
        self, process: HeatOU, density: float, rate: float, *, given: Given = "nothing", **network: int
    ) -> None:
        super().__init__()
        if isinstance(process.mean, Tensor):
            raise ScheduleError("a learned drift needs a base mean that is one number")
        self.process, self.rate, self.given = process, rate, given
        self.density = min(max(density, _LEAST_DENSITY), 1 - _LEAST_DENSITY)
        self.mean = float(process.mean)
        self.network = IncidenceNetwork(NetworkConfig(FEATURES + GIVEN[given], CONTEXT, outputs=2, **network))
        self.scales: Scales | None = None

    # -- scalars of the surrogate -------------------------------------------------------------------

    def surrogate(self, s: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return a, b and v at times ``(B,)``, of shape ``(B, 1, 1)`` and in double precision."""
        rates = torch.full((len(s), 1), self.rate, dtype=torch.float64, device=s.device)
        decay, first, second = self.process.mode_factors(rates, torch.zeros_like(rates), s)
        return decay, self.process.gamma * first, 2 * self.process.tau * second

    # -- targets ------------------------------------------------------------------------------------

    def targets(
        self,
        H: Tensor,
        spectrum: Spectrum,
        s: Tensor,
        generator: torch.Generator | None = None,
        noise: Tensor | None = None,
    ) -> Targets:
        """Draw states of hypergraphs at times ``(B,)``, and their targets."""
        X, drift = self.process.draw(H, spectrum, s, generator=generator, noise=noise)
        mask = spectrum.sizes.mask.to(X)
        a, b, v, beta = self._coefficients(X, s)
        data = self._data_of_drift(X, drift, (a, b, v, beta))
        deviation = spectrum.variant(self.process.variant).heat(X) - self.rate * X
        return Targets(X, data * mask, v * (1 - beta) / (2 * self.process.tau * beta * a) * deviation * mask)

    def data_of_drift(self, X: Tensor, drift: Tensor, s: Tensor) -> Tensor:
        """Turn a drift into a data prediction."""
        return self._data_of_drift(X, drift, self._coefficients(X, s))

    def _data_of_drift(self, X: Tensor, drift: Tensor, coefficients: tuple[Tensor, ...]) -> Tensor:
        a, b, v, beta = coefficients
        linear = (1 - beta) * self.rate * X + beta * self.process.gamma * (X - self.mean)
        return (X + v * (drift - linear) / (2 * self.process.tau * beta) - b * self.mean) / a

    def _coefficients(self, like: Tensor, s: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return a, b and v of the surrogate, and β, of shape ``(B, 1, 1)`` and of a state's type."""
        a, b, v = (part.to(like.dtype) for part in self.surrogate(s))
        return a, b, v, self.process.schedule.beta(s.double()).to(like.dtype)[:, None, None]

    # -- prediction ---------------------------------------------------------------------------------

    def inputs(
        self, X: Tensor, s: Tensor, sizes: Sizes, marginals: Marginals | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return features ``(B, N, M, F)``, contexts ``(B, T)`` and the entrywise posterior :math:`P`."""
        a, b, v = (part.to(X.dtype) for part in self.surrogate(s))
        P = self._posterior(X, (a, b, v), sizes, marginals)
        spread = (v + a**2 * self.density * (1 - self.density)).sqrt()
        standard = (X - a * self.density - b * self.mean) / spread
        L_V, L_E = node_laplacian(P, sizes.node_mask), overlap_laplacian(P, sizes.edge_mask)
        noise = (v + 0.1).sqrt()
        degrees, members = P.sum(2, keepdim=True), P.sum(1, keepdim=True)
        expected = self.density * sizes.m.to(X)[:, None, None], self.density * sizes.n.to(X)[:, None, None]
        features = [
            standard,
            4 * P,
            (L_V @ X - X) / noise,
            (X @ L_E - X) / noise,
            4 * (L_V @ P),
            4 * (P @ L_E),
            P @ (P.mT @ P) / (expected[0] + expected[1]),
            ((degrees + 0.01) / (expected[0] + 0.01)).log().expand_as(P),
            ((members + 0.01) / (expected[1] + 0.01)).log().expand_as(P),
        ]
        if marginals is not None and self.given != "nothing":
            features += _compared(members, marginals.sizes, expected[1], P)
        if marginals is not None and self.given == "both":
            features += _compared(degrees, marginals.degrees, expected[0], P)
        return (
            torch.stack(features, dim=1).permute(0, 2, 3, 1),
            self._context(a, v),
            P,
        )  # in memory as the network works

    def _posterior(self, X: Tensor, surrogate: tuple[Tensor, ...], sizes: Sizes, marginals: Marginals | None) -> Tensor:
        """Return the entrywise posterior :math:`P`."""
        a, b, v = surrogate
        prior = self._prior(sizes, marginals, X)
        return torch.sigmoid(torch.logit(prior) + a / v * (X - b * self.mean - a / 2)) * sizes.mask.to(X)

    def _prior(self, sizes: Sizes, marginals: Marginals | None, like: Tensor) -> Tensor:
        """Return the probability of an incidence before anything is seen of the state; it broadcasts to ``(B, N, M)``."""
        if self.given == "nothing":
            return torch.full((1, 1, 1), self.density, dtype=like.dtype, device=like.device)
        if marginals is None:
            raise ScheduleError(f"this drift was made for given {_NAMES[self.given]}; give marginals")
        if self.given == "sizes":
            prior = marginals.sizes / sizes.n.to(like).clamp_min(1)[:, None, None]
        else:
            total = marginals.sizes.sum((1, 2), keepdim=True).clamp_min(1)
            prior = marginals.sizes * marginals.degrees / total
        return prior.clamp(_LEAST_DENSITY, 1 - _LEAST_DENSITY)

    @staticmethod
    def _context(a: Tensor, v: Tensor) -> Tensor:
        snr = (a.log() - 0.5 * v.log()).flatten(1)
        waves = snr * torch.tensor(_FREQUENCIES, dtype=snr.dtype, device=snr.device)
        return torch.cat((waves.sin(), waves.cos(), snr / 3), dim=1)

    def forward(self, X: Tensor, s: Tensor, sizes: Sizes, marginals: Marginals | None = None) -> tuple[Tensor, Tensor]:
        """Return the data prediction :math:`D` and its structural part :math:`Q`."""
        features, context, P = self.inputs(X, s, sizes, marginals)
        F = self.network(features, context, sizes)
        missing, Q = (_within_reach(c, F[..., k]) for k, c in enumerate(self._scales_at(s)))
        return P + missing, Q

    # -- training -----------------------------------------------------------------------------------

    @torch.no_grad()
    def measure_scales(
        self,
        banks: Iterable[tuple[Tensor, Spectrum]],
        generator: torch.Generator,
        *,
        points: int = 32,
        least: float = 1e-3,
    ) -> None:
        """Measure the sizes of what the network predicts, on a grid of times that is dense near the data.

        Each bank holds training hypergraphs that are padded to one size.
        """
        shares = torch.linspace(least**0.5, 1.0, points, dtype=torch.float64) ** 2
        squares, entries = torch.zeros((points, 2), dtype=torch.float64), 0
        for H, spectrum in banks:
            entries += int(spectrum.sizes.mask.sum())
            for k, share in enumerate(shares.tolist()):
                s = torch.full((len(H),), share * self.process.horizon, dtype=torch.float64)
                drawn = self.targets(H, spectrum, s, generator)
                surrogate = tuple(part.to(H.dtype) for part in self.surrogate(s))
                P = self._posterior(drawn.X, surrogate, spectrum.sizes, Marginals.of(H))
                squares[k, 0] += ((drawn.data - P) ** 2).sum()
                squares[k, 1] += (drawn.structure**2).sum()
        table = (squares / max(entries, 1)).sqrt().clamp_min(_LEAST_SCALE)
        self.scales = Scales(shares * self.process.horizon, table[:, 0], table[:, 1])

    def losses(
        self, network: nn.Module, drawn: Targets, s: Tensor, sizes: Sizes, marginals: Marginals | None = None
    ) -> Tensor:
        """Return for each member the mean over its entries of both squared errors, in units of the scales.

        The network is an argument: it may be a copy of this drift's own.
        """
        with torch.no_grad():
            features, context, P = self.inputs(drawn.X, s, sizes, marginals)
            data, structure = self._scales_at(s)
            goal = torch.stack(((drawn.data - P) / data, drawn.structure / structure), dim=-1)
        errors = (network(features, context, sizes) - goal) * sizes.mask.to(goal)[..., None]
        losses: Tensor = (errors**2).sum((1, 2, 3)) / (sizes.n * sizes.m).to(goal)
        return losses

    def _scales_at(self, s: Tensor) -> tuple[Tensor, Tensor]:
        if self.scales is None:
            raise ScheduleError("the drift has no scales yet: measure them on the training set first")
        return self.scales.at(s)


def _within_reach(scale: Tensor, F: Tensor) -> Tensor:
    """Return what is predicted, clipped to where conditional targets lie; where the network overflowed, nothing."""
    most = _REACH + _REACH_IN_SCALES * scale
    return (scale * F).nan_to_num(nan=0.0).clamp(-most, most)


def _compared(now: Tensor, given: Tensor, expected: Tensor, like: Tensor) -> list[Tensor]:
    """Return features that tell a marginal that is given, and how far the present one is from it."""
    ratio = 2 * ((given + 0.5) / (expected + 0.5)).log()
    return [ratio.expand_as(like), ((now - given) / (given + 1).sqrt()).expand_as(like)]


class LearnedField(ReverseField):
    """A drift as a reverse field for hypergraphs of given sizes; states are in double precision, the network is not."""

    def __init__(self, drift: Drift, sizes: Sizes, marginals: Marginals | None = None) -> None:
        self.drift_model, self.sizes, self.marginals = drift, sizes, marginals
        self.process, self.rate = drift.process, drift.rate

    @torch.no_grad()
    def parts(self, X: Tensor, s: Tensor) -> Parts:
        """Turn the predictions into the structural part and the score."""
        D, Q = (part.to(X.dtype) for part in self.drift_model(X.float(), s, self.sizes, self.marginals))
        a, b, v = (part.to(X.dtype) for part in self.drift_model.surrogate(s))
        beta = self.process.schedule.beta(s.double()).to(X.dtype)[:, None, None]
        structure = (1 - beta) * self.rate * X + 2 * self.process.tau * beta * a / v * Q
        return Parts(structure, (a * (D - Q) + b * self.drift_model.mean - X) / v)
