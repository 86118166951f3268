"""Fuzzing: damaged files, models, experiments and commands, each either accepted or refused in one sentence.

`PYTHONPATH=tests python -m fuzz npz --count 1000` runs cases; `test_fuzz.py` runs a few of each kind, and 100,000 when asked to.
"""
