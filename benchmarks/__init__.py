"""Measurements: each module makes records in ``results/``, from which :mod:`benchmarks.tables` writes docs."""
