"""Compare generators: experiments as files, cells that are pure functions, a record of each, and tables made from the records.

An *experiment* (:mod:`~hyperhedge.bench.experiment`) is datasets × methods × seeds under one protocol. A *cell* is one of each:
a pure function of its configuration (:mod:`~hyperhedge.bench.cell`), which leaves one record (:mod:`~hyperhedge.bench.record`). The
runner (:mod:`~hyperhedge.bench.runner`) runs the cells that have no record yet, on the cores of this machine or on Ray
(:mod:`hyperhedge._system.pool`). :mod:`~hyperhedge.bench.results` reads the records, and :mod:`~hyperhedge.bench.tables` shows
them.
"""
