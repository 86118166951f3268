"""Settings of hypothesis: the same cases every time in `make test`, new and more ones in `make test-full`."""

import os

import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)  # the tests themselves run side by side

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("full", settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPERHEDGE_TEST_PROFILE", "fixed"))
