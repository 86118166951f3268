"""The benchmark: experiments as files, cells that are pure functions, a record for each, and tables made from the records.

An *experiment* (:mod:`~hyperhedge.bench.experiment`) is datasets × methods × seeds under one protocol. A *cell* is one of each:
a pure function of its configuration (:mod:`~hyperhedge.bench.cell`), which leaves one record (:mod:`~hyperhedge.bench.record`). The
runner (:mod:`~hyperhedge.bench.runner`) does the cells that have no record yet, on the cores of this machine or on Ray
(:mod:`hyperhedge.cluster`); the tables (:mod:`~hyperhedge.bench.tables`) read the records, and the paper's numbers beside them
(:mod:`~hyperhedge.bench.paper`).
"""
