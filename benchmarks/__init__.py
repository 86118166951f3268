"""Measurements: each module makes records in ``results/``; :mod:`benchmarks.tables` writes docs from them."""
