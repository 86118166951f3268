r"""The network as a denoiser: what it sees, what it predicts, and the loss.

*What is predicted.* The reverse drift grows as :math:`1/s` near the data, so it is never regressed as it is, but as the prediction
:math:`D` of the data and its structural part :math:`Q`, which the surrogate turns it into (:mod:`hyperhedge.diffusion.process`).
The map is affine in the drift at every :math:`s`, so the minimiser of a squared error in :math:`D` is the minimiser of eq. 15 at
that :math:`s`, and only a weight in :math:`s` changes. A second head predicts :math:`Q` alone: with both, the drift and the
probability flow (whose data prediction is :math:`D + Q`) are known. Training targets are :math:`D^\star` and :math:`Q^\star` of the
conditional drift given a training hypergraph.

*Preconditioning* (Karras et al. 2022). Entries are 0 or 1. If they were independent and the surrogate were exact, their posterior
mean would be

.. math:: P = \sigma\Bigl(\log\tfrac{\rho}{1 - \rho} + \tfrac av\,(X - bM_0 - \tfrac a2)\Bigr),

and the network :math:`F` predicts what is missing, in units of its scale: :math:`D = P + c_D(s)\,F_D`, :math:`Q = c_Q(s)\,F_Q`,
with :math:`c^2 = \mathbb E|D^\star - P|^2` and :math:`\mathbb E|Q^\star|^2`, measured on the training set. The loss is

.. math:: \mathbb E\,\bigl|F_D - (D^\star - P)/c_D\bigr|^2 + \mathbb E\,\bigl|F_Q - Q^\star/c_Q\bigr|^2 .

A posterior mean lies among the targets, so predictions are clipped to :math:`2 + 10c`, which is beyond any target: an exact field
is not changed, and the states of a network that was hardly trained stay finite, as each step of a sampler moves towards
:math:`D`. Walks in the network are cubic in its states, so it can overflow where it was never trained; there :math:`D = P`.

*What the network sees* of each entry is listed in :data:`FEATURES`, all of it equivariant and of a scale of about one: the state
:math:`X`; :math:`P`; the soft operators of :math:`P` applied to :math:`X` and :math:`P`; :math:`P P^\top P`, which tells how much a
hyperedge shares with a node's other hyperedges; and the degrees and hyperedge sizes of :math:`P`. Its context is the time, as
:math:`\log(a/\sqrt v)`.

*What may be given.* The law of hypergraphs factorises as :math:`p(H) = p(k)\,p(H \mid k)` with :math:`k = H^\top \mathbf 1` the
hyperedge sizes (or with the degrees too), :math:`p(k)` is in the training set, and the diffusion may learn :math:`p(H \mid k)`
alone: the theory above holds for the conditional law unchanged. The given marginals are inputs of the network, next to how far
those of :math:`P` are from them, and replace the prior :math:`\rho` in :math:`P` by that of the column, :math:`\rho_e = k_e / n`,
or of the entry, :math:`\rho_{ve} = d_v k_e / \sum_e k_e`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.laplacians import Spectrum, node_laplacian, overlap_laplacian
from hyperhedge.diffusion.network import IncidenceNetwork, NetworkConfig
from hyperhedge.diffusion.process import HeatOU, Surrogate
from hyperhedge.errors import ScheduleError

__all__ = ["CONTEXT", "FEATURES", "GIVEN", "Denoiser", "Given", "Marginals", "Scales", "Targets"]

#: The marginals that are sampled before the diffusion starts, and that it is conditioned on.
Given: TypeAlias = Literal["nothing", "sizes", "both"]

#: Densities and priors are kept this far from 0 and 1, where their logits are infinite; the logits stay within ±9.2.
_LEAST_DENSITY = 1e-4

#: Scales are divided by, and without heat Q is zero.
_LEAST_SCALE = 1e-6

#: How far D may be from P, and Q from 0: twice the distance between 0 and 1, and ten scales more. No conditional target is beyond
#: that, which the tests check for all variants.
_REACH, _REACH_IN_SCALES = 2.0, 10.0

#: Of waves in log(a/√v), which goes from 8.5 at the earliest time of training to −3.4 at the horizon (Hedge's default process). The
#: slowest wave, with a period of 25, does not repeat in that range; the fastest has a period of 1.6; between them are octaves.
_FREQUENCIES = (0.25, 0.5, 1.0, 2.0, 4.0)

#: What log(a/√v) itself is divided by; its standard deviation over the times of training is 2.5.
_SNR_SCALE = 3.0

#: How many numbers the network sees of the whole hypergraph: the time, as sines, cosines and itself.
CONTEXT = 2 * len(_FREQUENCIES) + 1

_NAMES = {"sizes": "hyperedge sizes", "both": "hyperedge sizes and degrees"}


@dataclass(frozen=True)
class Targets:
    r"""Noisy states with what the network should predict of them, :math:`D^\star` and :math:`Q^\star`, and the surrogate."""

    X: Tensor
    data: Tensor
    structure: Tensor
    surrogate: Surrogate


@dataclass(frozen=True)
class Marginals:
    """Hyperedge sizes ``(B, 1, M)`` and node degrees ``(B, N, 1)``."""

    edge_sizes: Tensor
    degrees: Tensor

    @classmethod
    def of(cls, H: Tensor) -> Marginals:
        """Return those of incidence matrices, which may be relaxed."""
        return cls(H.sum(-2, keepdim=True), H.sum(-1, keepdim=True))


@dataclass(frozen=True)
class Scales:
    """The scales of what the network predicts, on a grid of times: :math:`c_D` and :math:`c_Q`."""

    times: Tensor
    data: Tensor
    structure: Tensor

    def at(self, s: Tensor) -> tuple[Tensor, Tensor]:
        """Interpolate at times ``(B,)``; of shape ``(B, 1, 1)``."""
        times, s = self.times.to(s.device), s.double().contiguous()
        right = torch.searchsorted(times, s).clamp(1, len(times) - 1)
        share = ((s - times[right - 1]) / (times[right] - times[right - 1])).clamp(0.0, 1.0)

        def interpolated(scales: Tensor) -> Tensor:
            scales = scales.to(s.device)
            return torch.lerp(scales[right - 1], scales[right], share)[:, None, None].float()

        return interpolated(self.data), interpolated(self.structure)


# -- what the network sees ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Seen:
    """What features are computed from: the state, the posterior, and three marginals to compare."""

    X: Tensor
    P: Tensor
    surrogate: Surrogate
    shapes: Shapes
    density: float
    mean: float
    given: Marginals

    @cached_property
    def L_V(self) -> Tensor:
        """The node Laplacian of the posterior."""
        return node_laplacian(self.P, self.shapes.node_mask)

    @cached_property
    def L_E(self) -> Tensor:
        """The overlap Laplacian of the posterior."""
        return overlap_laplacian(self.P, self.shapes.edge_mask)

    @cached_property
    def soft(self) -> Marginals:
        """The marginals of the posterior."""
        return Marginals.of(self.P)

    @cached_property
    def typical(self) -> Marginals:
        """The mean marginals at the training set's density, ``(B, 1, 1)``."""
        n, m = self.shapes.n.to(self.X)[:, None, None], self.shapes.m.to(self.X)[:, None, None]
        return Marginals(self.density * n, self.density * m)

    @property
    def standard_state(self) -> Tensor:
        """The state less its mean, over its standard deviation, if entries were independent."""
        at, density = self.surrogate, self.density
        deviation = (at.v + at.a**2 * density * (1 - density)).sqrt()
        return (self.X - at.a * density - at.b * self.mean) / deviation

    @property
    def state_scale(self) -> Tensor:
        """The standard deviation of the noise and of an entry at a density of 0.11, which remains where the noise vanishes."""
        return (self.surrogate.v + 0.1).sqrt()


Feature: TypeAlias = Callable[[_Seen], Tensor]

#: One over the standard deviation of an entry at a density of 0.07.
_PER_PROBABILITY = 4

#: Keeps logarithms finite where the posterior has an empty row or column; far less than one incidence, so others hardly change.
_HARDLY_ANY = 0.01

#: What the network sees of each entry, in this order; weights of saved models depend on it. All broadcast to ``(B, N, M)``.
FEATURES: dict[str, Feature] = {
    "state": lambda seen: seen.standard_state,
    "posterior": lambda seen: _PER_PROBABILITY * seen.P,
    # Less the state itself, which is a feature already: what remains are averages over neighbours.
    "node_heat_of_state": lambda seen: (seen.L_V @ seen.X - seen.X) / seen.state_scale,
    "edge_heat_of_state": lambda seen: (seen.X @ seen.L_E - seen.X) / seen.state_scale,
    "node_heat_of_posterior": lambda seen: _PER_PROBABILITY * (seen.L_V @ seen.P),
    "edge_heat_of_posterior": lambda seen: _PER_PROBABILITY * (seen.P @ seen.L_E),
    # Walks v–e'–u–e. An incidence has about as many that stay in e or return to v as its hyperedge has nodes and its node
    # hyperedges; the rest are overlaps of e with other hyperedges of v.
    "walks": lambda seen: seen.P @ (seen.P.mT @ seen.P) / (seen.typical.degrees + seen.typical.edge_sizes),
    "degree": lambda seen: _log_ratio(seen.soft.degrees, seen.typical.degrees, _HARDLY_ANY),
    "edge_size": lambda seen: _log_ratio(seen.soft.edge_sizes, seen.typical.edge_sizes, _HARDLY_ANY),
}

_SIZE_FEATURES: dict[str, Feature] = {
    "given_edge_size": lambda seen: _given_count(seen.given.edge_sizes, seen.typical.edge_sizes),
    "edge_size_excess": lambda seen: _excess(seen.soft.edge_sizes, seen.given.edge_sizes),
}
_DEGREE_FEATURES: dict[str, Feature] = {
    "given_degree": lambda seen: _given_count(seen.given.degrees, seen.typical.degrees),
    "degree_excess": lambda seen: _excess(seen.soft.degrees, seen.given.degrees),
}

#: The features that given marginals add.
GIVEN: dict[str, dict[str, Feature]] = {
    "nothing": {},
    "sizes": _SIZE_FEATURES,
    "both": _SIZE_FEATURES | _DEGREE_FEATURES,
}


def _log_ratio(count: Tensor, typical: Tensor, offset: float) -> Tensor:
    """Return the logarithm of a count over a typical one, finite where the count is zero."""
    return ((count + offset) / (typical + offset)).log()


def _given_count(count: Tensor, typical: Tensor) -> Tensor:
    """Return a given count as a feature; counts that differ by a factor of 1.6 differ by one.

    Given counts are whole numbers: with half a count more, 0 and 1 are as far from each other as 1 and 4.
    """
    return 2 * _log_ratio(count, typical, 0.5)


def _excess(count: Tensor, given: Tensor) -> Tensor:
    """Return how far a count is from a given one, over the standard deviation of a count of rare independent events."""
    return (count - given) / (given + 1).sqrt()


def _context(surrogate: Surrogate) -> Tensor:
    """Return the time as the network sees it, ``(T, CONTEXT)``."""
    snr = surrogate.log_snr.flatten(1)
    waves = snr * torch.tensor(_FREQUENCIES, dtype=snr.dtype, device=snr.device)
    return torch.cat((waves.sin(), waves.cos(), snr / _SNR_SCALE), dim=1)


# -- the denoiser ------------------------------------------------------------------------------------


class Denoiser(nn.Module):
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
        The marginals it is conditioned on: ``"nothing"``, ``"sizes"`` of hyperedges, or ``"both"`` these and node degrees.
    network
        Width, channels, hidden width and blocks of the network, see :class:`~hyperhedge.diffusion.network.NetworkConfig`.
    """

    def __init__(
        self, process: HeatOU, density: float, rate: float, *, given: Given = "nothing", **network: int
    ) -> None:
        super().__init__()
        if isinstance(process.mean, Tensor):
            raise ScheduleError("a denoiser needs a process whose base mean is one number")
        self.process, self.rate, self.given = process, rate, given
        self.density = min(max(density, _LEAST_DENSITY), 1 - _LEAST_DENSITY)
        self.mean = float(process.mean)
        self.features = FEATURES | GIVEN[given]
        self.network = IncidenceNetwork(NetworkConfig(len(self.features), CONTEXT, outputs=2, **network))
        self.scales: Scales | None = None

    def surrogate(self, s: Tensor) -> Surrogate:
        """Return the surrogate with the typical rate at times ``(T,)``."""
        return self.process.surrogate(self.rate, s)

    # -- targets ------------------------------------------------------------------------------------

    def targets(self, H: Tensor, spectrum: Spectrum, s: Tensor, noise: Tensor) -> Targets:
        """Return the states of hypergraphs at times ``(B,)`` that standard normal noise gives, with their targets."""
        X, parts = self.process.sample_with_parts(H, spectrum, s, noise)
        surrogate = self.surrogate(s)
        mask = spectrum.shapes.mask.to(X)
        data, structure = surrogate.to(X.dtype).predictions(X, parts, self.mean)
        return Targets(X, data * mask, structure * mask, surrogate)

    # -- prediction ---------------------------------------------------------------------------------

    def inputs(
        self, X: Tensor, surrogate: Surrogate, shapes: Shapes, marginals: Marginals | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return features ``(B, N, M, F)``, contexts ``(B, T)`` and the entrywise posterior :math:`P`."""
        surrogate = surrogate.to(X.dtype)
        P = self._posterior(X, surrogate, shapes, marginals)
        given = Marginals.of(P) if marginals is None else marginals  # without given marginals no feature looks at them
        seen = _Seen(X, P, surrogate, shapes, self.density, self.mean, given)
        features = torch.stack([feature(seen).expand_as(P) for feature in self.features.values()], dim=1)
        # Channels come first in memory, as the network works.
        return features.permute(0, 2, 3, 1), _context(surrogate).expand(len(X), -1), P

    def _posterior(self, X: Tensor, surrogate: Surrogate, shapes: Shapes, marginals: Marginals | None) -> Tensor:
        """Return the entrywise posterior :math:`P`."""
        a, b, v = surrogate.a, surrogate.b, surrogate.v
        prior = self._prior(shapes, marginals, X)
        return torch.sigmoid(torch.logit(prior) + a / v * (X - b * self.mean - a / 2)) * shapes.mask.to(X)

    def _prior(self, shapes: Shapes, marginals: Marginals | None, like: Tensor) -> Tensor:
        """Return the probability of an incidence before the state is seen; it broadcasts to ``(B, N, M)``."""
        if self.given == "nothing":
            return torch.full((1, 1, 1), self.density, dtype=like.dtype, device=like.device)
        if marginals is None:
            raise ScheduleError(f"this denoiser is conditioned on {_NAMES[self.given]}: pass marginals=")
        if self.given == "sizes":
            prior = marginals.edge_sizes / shapes.n.to(like).clamp_min(1)[:, None, None]
        else:
            total = marginals.edge_sizes.sum((1, 2), keepdim=True).clamp_min(1)
            prior = marginals.edge_sizes * marginals.degrees / total
        return prior.clamp(_LEAST_DENSITY, 1 - _LEAST_DENSITY)

    def forward(
        self, X: Tensor, surrogate: Surrogate, shapes: Shapes, marginals: Marginals | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the data prediction :math:`D` and its structural part :math:`Q`."""
        features, context, P = self.inputs(X, surrogate, shapes, marginals)
        F = self.network(features, context, shapes)
        missing, Q = (_within_reach(c, F[..., k]) for k, c in enumerate(self._scales_at(surrogate.s)))
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
        """Measure the scales of what the network predicts, on a grid of times that is dense near the data.

        Each bank holds training hypergraphs that are padded to one shape.
        """
        shares = torch.linspace(least**0.5, 1.0, points, dtype=torch.float64) ** 2
        squares, entries = torch.zeros((points, 2), dtype=torch.float64), 0
        for H, spectrum in banks:
            entries += int(spectrum.shapes.mask.sum())
            for k, share in enumerate(shares.tolist()):
                s = torch.full((len(H),), share * self.process.horizon, dtype=torch.float64)
                noise = torch.randn(H.shape, generator=generator, dtype=H.dtype, device=H.device)
                targets = self.targets(H, spectrum, s, noise)
                P = self._posterior(targets.X, targets.surrogate.to(H.dtype), spectrum.shapes, Marginals.of(H))
                squares[k, 0] += ((targets.data - P) ** 2).sum()
                squares[k, 1] += (targets.structure**2).sum()
        table = (squares / max(entries, 1)).sqrt().clamp_min(_LEAST_SCALE)
        self.scales = Scales(shares * self.process.horizon, table[:, 0], table[:, 1])

    def losses(
        self, network: nn.Module, targets: Targets, shapes: Shapes, marginals: Marginals | None = None
    ) -> Tensor:
        """Return for each member the mean over its entries of both squared errors, in units of the scales.

        The network is an argument, as a worker may have a copy of it.
        """
        with torch.no_grad():
            features, context, P = self.inputs(targets.X, targets.surrogate, shapes, marginals)
            data, structure = self._scales_at(targets.surrogate.s)
            goal = torch.stack(((targets.data - P) / data, targets.structure / structure), dim=-1)
        errors = (network(features, context, shapes) - goal) * shapes.mask.to(goal)[..., None]
        losses: Tensor = (errors**2).sum((1, 2, 3)) / (shapes.n * shapes.m).to(goal)
        return losses

    def _scales_at(self, s: Tensor) -> tuple[Tensor, Tensor]:
        if self.scales is None:
            raise ScheduleError("the denoiser has no scales yet: call measure_scales on the training set first")
        return self.scales.at(s)


def _within_reach(scale: Tensor, F: Tensor) -> Tensor:
    """Return the prediction, clipped to where conditional targets lie; zero where the network overflowed."""
    most = _REACH + _REACH_IN_SCALES * scale
    return (scale * F).nan_to_num(nan=0.0).clamp(-most, most)
