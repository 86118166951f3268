r"""Reverse fields: one interface for the learned drift and for the exact one.

For states :math:`X` at a time :math:`s`, a reverse field can be asked for the structural part and the score of the reverse drift
(:class:`~hyperhedge.diffusion.process.Parts`), or for the prediction :math:`D` of the data and its structural part :math:`Q`. Both
say the same, and the surrogate (:mod:`hyperhedge.diffusion.process`) maps one to the other. The exact field computes the former,
the learned field the latter; samplers need nothing else.

*The oracle* is the :math:`L^2`-optimal state-only drift for a finite training set (Theorem A.5): with the posterior

.. math:: \pi_s(i \mid X) = \frac{p_{s|H^{(i)}}(X)}{\sum_j p_{s|H^{(j)}}(X)},

computed by log-sum-exp, it is the average of the conditional drifts,

.. math:: \bar u^\star_s(X) = \alpha \sum_i \pi_s(i|X)\, \mathcal A_{H^{(i)}}(X) + \beta\gamma(X - M_0)
          + 2\tau\beta \sum_i \pi_s(i|X)\, r^\star_{s|H^{(i)}}(X),

whose last sum is the score of the mixture. It is exact and expensive: every state is compared with every training hypergraph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import Shapes, encode
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.laplacians import Spectrum, spectrum_of
from hyperhedge.diffusion.process import Gaussian, HeatOU, Parts, Surrogate
from hyperhedge.errors import ScheduleError

__all__ = ["LearnedField", "Oracle", "ReverseField", "typical_rate"]


class ReverseField(ABC):
    r"""The reverse drift as a function of the state alone.

    Attributes
    ----------
    process
        The forward process that the field reverses.
    rate
        The typical rate :math:`\bar\omega` of the modes, which the surrogate has.
    """

    process: HeatOU
    rate: float

    @abstractmethod
    def parts(self, X: Tensor, s: Tensor) -> Parts:
        """Return the structural part and the score at states ``(B, N, M)`` and times ``(B,)``."""

    def drift(self, X: Tensor, s: Tensor) -> Tensor:
        r"""Return the drift of the reverse SDE, :math:`u_s(X)`."""
        return self.process.combine(self.parts(X, s), X, s)

    def velocity(self, X: Tensor, s: Tensor) -> Tensor:
        """Return the velocity of the probability-flow ODE, in reverse time."""
        return self.process.combine(self.parts(X, s), X, s, noise_share=0.5)

    def surrogate(self, s: Tensor) -> Surrogate:
        """Return the surrogate with the typical rate at times ``(T,)``."""
        return self.process.surrogate(self.rate, s)

    def predictions(self, X: Tensor, surrogate: Surrogate) -> tuple[Tensor, Tensor]:
        """Return the prediction :math:`D` of the data and its structural part :math:`Q`, at the surrogate's times."""
        parts = self.parts(X, surrogate.s.expand(len(X)))
        return surrogate.predictions(X, parts, self.process.base_mean(X))

    def predict_data(self, X: Tensor, surrogate: Surrogate, *, noise_share: float = 1.0) -> Tensor:
        r"""Return the prediction that is the drift's, :math:`D`, or with ``noise_share=0.5`` the flow's, :math:`D + Q`.

        The velocity of the flow has half the score, so its structural part weighs :math:`1/k = 2` times as much:
        :math:`R + Q/k` with the share :math:`k` of the noise, where :math:`R = D - Q`.
        """
        D, Q = self.predictions(X, surrogate)
        return D if noise_share == 1 else D + (1 / noise_share - 1) * Q


class Oracle(ReverseField):
    """The exact field over training hypergraphs of one shape.

    Parameters
    ----------
    process
        The forward process.
    hypergraphs
        The training set; a hypergraph that occurs twice counts twice.
    """

    def __init__(self, process: HeatOU, hypergraphs: Iterable[Hypergraph]) -> None:
        graphs = list(hypergraphs)
        if not graphs or len({(H.n, H.m) for H in graphs}) != 1:
            raise ScheduleError("Oracle needs training hypergraphs that all have the same shape (n, m)")
        self.process = process
        self.H = encode(graphs).matrix
        self.spectrum = spectrum_of(graphs)
        self.rate = typical_rate(self.spectrum.variant(process.variant))
        self._law: tuple[float, Gaussian] | None = None

    def _laws(self, s: float) -> Gaussian:
        """Return the conditional laws of all training hypergraphs at one time; the last ones are kept."""
        if self._law is None or self._law[0] != s:
            times = torch.full((len(self.H),), s, dtype=torch.float64)
            self._law = (s, self.process.law(self.H, self.spectrum, times))
        return self._law[1]

    def log_joint(self, X: Tensor, s: float) -> Tensor:
        r"""Return :math:`\log p_{s|H^{(i)}}(X_b)`, of shape ``(B, K)``."""
        laws = self._laws(s)
        squares = (self._modes(X, laws) - laws.mean) ** 2 / laws.variance
        constant = torch.log(2 * torch.pi * laws.variance).sum((-2, -1))
        return -0.5 * (squares.sum((-2, -1)) + constant)

    def log_prob(self, X: Tensor, s: float) -> Tensor:
        r"""Return the log-density of the marginal law :math:`\hat p_s`, of shape ``(B,)``."""
        return torch.logsumexp(self.log_joint(X, s), dim=1) - torch.log(torch.tensor(float(len(self.H))))

    def posterior(self, X: Tensor, s: float) -> Tensor:
        r"""Return the weights :math:`\pi_s(i \mid X_b)`, of shape ``(B, K)``."""
        return torch.softmax(self.log_joint(X, s), dim=1)

    def parts(self, X: Tensor, s: Tensor) -> Parts:
        """Average the conditional parts over the posterior."""
        if len(s) and not (s == s[0]).all():
            each = [self.parts(X[b : b + 1], s[b : b + 1]) for b in range(len(X))]
            return Parts(torch.cat([parts.structure for parts in each]), torch.cat([parts.score for parts in each]))
        laws = self._laws(float(s[0]))
        modes = self._modes(X, laws)
        weights = self.posterior(X, float(s[0]))[:, :, None, None]
        alpha = self.process.schedule.alpha(s[:1].double())
        U, V = laws.spectrum.U, laws.spectrum.V
        structure = torch.einsum("kni,bkij,kmj->bnm", U, weights * alpha * laws.spectrum.rates * modes, V)
        score = torch.einsum("kni,bkij,kmj->bnm", U, weights * (laws.mean - modes) / laws.variance, V)
        return Parts(structure, score)

    @staticmethod
    def _modes(X: Tensor, laws: Gaussian) -> Tensor:
        """Take every state to the modes of every training hypergraph, ``(B, K, N, M)``."""
        return laws.spectrum.U.mT @ X[:, None] @ laws.spectrum.V


class LearnedField(ReverseField):
    """A denoiser as the reverse field of hypergraphs of some shapes.

    States are in double precision, the network is not. The network predicts :math:`D` and :math:`Q`; they are turned into
    the parts of a drift only where a sampler asks for these.
    """

    def __init__(self, denoiser: Denoiser, shapes: Shapes, marginals: Marginals | None = None) -> None:
        self.denoiser, self.shapes, self.marginals = denoiser, shapes, marginals
        self.process, self.rate = denoiser.process, denoiser.rate

    @torch.no_grad()
    def predictions(self, X: Tensor, surrogate: Surrogate) -> tuple[Tensor, Tensor]:
        """Evaluate the network."""
        D, Q = self.denoiser(X.float(), surrogate, self.shapes, self.marginals)
        return D.to(X.dtype), Q.to(X.dtype)

    def parts(self, X: Tensor, s: Tensor) -> Parts:
        """Turn the predictions into the structural part and the score."""
        surrogate = self.surrogate(s)
        return surrogate.parts(X, *self.predictions(X, surrogate), self.process.base_mean(X))


def typical_rate(spectrum: Spectrum) -> float:
    """Return the mean rate over all modes that are not padding."""
    return float(spectrum.rates[spectrum.shapes.mask].mean())
