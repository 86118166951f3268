"""Measurements of this repository: modules that write records to ``results/``, and modules that write pages of ``docs/`` from them.

:mod:`benchmarks.tables` writes ``docs/costs.md`` and the tables in other pages; :mod:`benchmarks.results` writes ``docs/results.md``, from
the experiments in ``experiments/``, with the paper's numbers (:mod:`benchmarks.paper`) beside ours.
"""
