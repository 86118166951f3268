"""Schedules satisfy equation 6, and their integrals are right."""

import math

import pytest
import torch
from scipy.integrate import quad

from hyperhedge.diffusion.schedules import Cosine, Custom, Linear, Power
from hyperhedge.errors import ScheduleError

SCHEDULES = [
    Cosine(1.0),
    Cosine(7.5),
    Linear(2.0),
    Power(3.0, 3.0),
    Power(1.0, 0.5),
    Power(2.0, 2.7),
    Custom(2.0, lambda s: 1 - torch.exp(-s), begins_as=1.0),
    Custom(1.0, lambda s: s**2 * (3 - 2 * s), begins_as=2.0),
]


def value(schedule, u):
    return float(schedule.beta(torch.tensor(u, dtype=torch.float64)))


@pytest.mark.parametrize("schedule", SCHEDULES, ids=range(len(SCHEDULES)))
class TestEverySchedule:
    def test_equation_6(self, schedule):
        s = torch.linspace(0, schedule.horizon, 1001, dtype=torch.float64)
        alpha, beta = schedule.alpha(s), schedule.beta(s)
        torch.testing.assert_close(alpha + beta, torch.ones_like(s))
        assert beta[0] == 0
        assert alpha[0] == 1
        assert (beta[1:] > 0).all()
        assert (beta.diff() >= 0).all()
        assert ((beta >= 0) & (beta <= 1)).all()

    def test_integrals(self, schedule):
        for share in (1e-4, 1e-2, 0.1, 0.5, 1.0):
            s = share * schedule.horizon
            end = s**0.25  # with u = v⁴ the integrand is smooth, whatever power beta begins with
            exact = quad(lambda v: 4 * v**3 * value(schedule, v**4), 0, end, epsrel=1e-13)[0]
            time = torch.tensor(s, dtype=torch.float64)
            assert float(schedule.B(time)) == pytest.approx(exact, rel=1e-11)
            assert float(schedule.A(time)) == pytest.approx(s - exact, rel=1e-11)

    def test_beta_is_the_derivative_of_its_integral(self, schedule):
        s = torch.linspace(0.05, 0.95, 7, dtype=torch.float64) * schedule.horizon
        s.requires_grad_()
        (slope,) = torch.autograd.grad(schedule.B(s).sum(), s)
        torch.testing.assert_close(slope, schedule.beta(s), rtol=1e-9, atol=1e-12)

    def test_it_begins_with_its_order(self, schedule):
        tiny = torch.tensor([1e-6, 1e-5], dtype=torch.float64) * schedule.horizon
        slope = torch.log(schedule.beta(tiny)).diff() / math.log(10)
        assert float(slope) == pytest.approx(schedule.order, abs=1e-4)


def test_square_root_is_lipschitz_for_the_cosine_schedule_and_not_for_the_linear_one():
    """What the corollary on Euler–Maruyama asks for."""
    s = torch.logspace(-9, 0, 500, dtype=torch.float64)
    steepest = lambda schedule: float((schedule.beta(s).sqrt().diff() / s.diff()).max())  # noqa: E731
    assert steepest(Cosine(1.0)) <= math.pi / 2 + 1e-9
    assert steepest(Linear(1.0)) > 1e3


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Cosine(0.0), "horizon must be a positive number"),
        (lambda: Cosine(-1.0), "horizon must be a positive number"),
        (lambda: Cosine(math.nan), "horizon must be a positive number"),
        (lambda: Power(1.0, 0.0), "exponent must be a positive number"),
        (lambda: Power(1.0, math.nan), "exponent must be a positive number"),
        (lambda: Custom(1.0, lambda s: s + 0.1), r"beta\(0\) must be 0, not 0\.1"),
        (lambda: Custom(1.0, lambda s: 2 * s), "increase from 0 to at most 1"),
        (lambda: Custom(1.0, lambda s: s * (1.2 - s)), "increase from 0 to at most 1"),
        (lambda: Custom(1.0, lambda s: (s - 0.5).clamp_min(0)), "positive on"),
        (lambda: Custom(1.0, lambda s: s / 0), "finite"),
        (lambda: Custom(1.0, lambda s: s.sum()), "the shape of its argument"),
    ],
)
def test_functions_that_are_no_schedules_are_refused(build, message):
    with pytest.raises(ScheduleError, match=message):
        build()
