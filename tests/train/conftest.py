"""What the tests of training share."""

import signal

import pytest


@pytest.fixture(autouse=True)
def _usual_signals():
    """Set the handlers that Python sets, unless it is started where signals are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])
