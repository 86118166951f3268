"""An experiment: datasets × methods × seeds under one protocol, read from a TOML file.

.. code-block:: toml

    title = "Sessions of our shop"
    seeds = 10                        # 0, …, 9
    reference = "hedge"               # compare the other methods with this one, seed by seed

    [protocol]                        # for each dataset and seed
    train = 2000
    test = 100
    generated = 100

    [datasets.cora]                   # a name that load_dataset knows
    [datasets.sessions]
    source = "sessions.hif.json"      # or a file, relative to this one
    n = 40
    m = [10, 20]                      # a range
    bank = { protocol = "walk" }

    [methods.floor]                   # training hypergraphs in place of generated ones
    model = "real"
    [methods.hedge]
    model = "hedge"                   # the name of a generator
    options = { iterations = 4000 }
    seeds = 3                         # fewer than the experiment's

    [smoke]                           # what --smoke changes

With ``protocol = { whole = true }`` every method learns one whole hypergraph and generates another of its size, which is compared
with it; ``rewired`` is then a method too, a copy with a ``share`` of the incidences rewired, and ``real`` the hypergraph itself.

Records are kept beside the file, in ``NAME.results``, unless ``results`` names another folder.

A *cell* holds everything its result depends on. The model's options are those of the file over the defaults of its class, so a
change of a default changes the fingerprint, and the cell is run again.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hyperhedge.data import NAMES
from hyperhedge.errors import FormatError, HyperhedgeError, shortened, shown
from hyperhedge.io.files import PathLike, read_bytes
from hyperhedge.metrics import DEFAULT, METRICS
from hyperhedge.metrics.whole.measures import MEASURES, select_measures
from hyperhedge.models.base import MODELS, make_model

REAL = "real"
"""The model of the floor, which returns training hypergraphs."""

REWIRED = "rewired"
"""The model of a copy of a whole hypergraph with a share of its incidences rewired."""

FINGERPRINT_VERSION = 1

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]  # 0 if it is not given
Number = int | list[int]  # a number or [least, greatest]; msgspec 0.22 crashes on a bounded int beside a tuple


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class Protocol(_Table, frozen=True):
    """How many hypergraphs each cell has, and how they are compared; of whole hypergraphs there is one."""

    train: Count = 0
    test: Count = 0
    generated: Count = 0
    leak_free: bool = False
    bootstrap: Annotated[int, msgspec.Meta(ge=0)] = 200
    permutations: Positive = 999
    metrics: list[str] = msgspec.field(default_factory=lambda: [metric.key for metric in DEFAULT])
    whole: bool = False

    @property
    def measures(self) -> list[str]:
        """The measures of whole hypergraphs; all by default."""
        chosen = [key for key in self.metrics if key not in METRICS]
        return chosen or list(MEASURES)

    @property
    def keys(self) -> list[str]:
        """The metrics that records have."""
        return self.measures if self.whole else self.metrics

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of training, held-out and generated hypergraphs."""
        return self.train or 1, self.test or 1, self.generated or 1


class DatasetSpec(_Table, frozen=True):
    """A dataset: what :func:`~hyperhedge.load_dataset` loads (by default the table's name), shapes, how banks are sampled.

    ``without`` names methods that are not run on it.
    """

    title: str | None = None
    source: str | None = None
    n: Number | None = None
    m: Number | None = None
    bank: dict[str, Any] = {}
    without: list[str] = []


class MethodSpec(_Table, frozen=True):
    """A method: the name of a model, its options, and how many seeds are run."""

    model: str
    title: str | None = None
    options: dict[str, Any] = {}
    seeds: Positive | None = None


class Smoke(_Table, frozen=True):
    """What ``--smoke`` changes, to see that everything runs; ``datasets`` is how many datasets are kept, from the first."""

    seeds: Positive = 2
    datasets: Positive | None = None
    protocol: dict[str, Any] = {}
    dataset: DatasetSpec = DatasetSpec()
    methods: dict[str, dict[str, Any]] = {}


#: Values of arguments that models got later, with which they do what they did before: a cell keeps its fingerprint.
_AS_BEFORE = (("repeats", "allow"), ("keep_labels", True), ("heat", 1.0))


class Cell(_Table, frozen=True, dict=True):
    """One dataset, one method, one seed: everything a record depends on."""

    dataset: str
    method: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    source: str
    model: str
    options: dict[str, Any]
    protocol: Protocol
    n: Number | None = None
    m: Number | None = None
    bank: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The cell's name for a reader."""
        return f"{self.dataset} · {self.method} · seed {self.seed}"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything except the names of dataset and method."""
        facts = {key: value for key, value in msgspec.to_builtins(self).items() if key not in ("dataset", "method")}
        if not self.protocol.whole:
            del facts["protocol"]["whole"]  # as before there was a choice
        facts["options"] = {k: v for k, v in facts["options"].items() if (k, v) not in _AS_BEFORE}
        text = msgspec.json.encode({"version": FINGERPRINT_VERSION, **facts}, order="sorted")
        return hashlib.sha256(text).hexdigest()[:16]


class Experiment(_Table, frozen=True):
    """Datasets × methods × seeds; ``reference`` is the method that the others are compared with, seed by seed."""

    seeds: Positive
    protocol: Protocol
    datasets: Annotated[dict[str, DatasetSpec], msgspec.Meta(min_length=1)]
    methods: Annotated[dict[str, MethodSpec], msgspec.Meta(min_length=1)]
    title: str | None = None
    reference: str | None = None
    results: str | None = None
    smoke: Smoke = Smoke()
    file: str = "experiment.toml"  # where it was read; not a key of the file

    @property
    def name(self) -> str:
        """The experiment's name for a reader: its title, or that of its file."""
        return self.title or Path(self.file).stem

    @property
    def folder(self) -> Path:
        """The folder of its records: ``results``, relative to the file, or ``NAME.results`` beside it."""
        file = Path(self.file)
        return file.parent / (self.results or f"{file.stem}.results")

    def locate(self, source: str) -> str:
        """Return a dataset's name as it is, and the path of a file relative to the experiment's."""
        beside = Path(self.file).parent / source
        return source if source in NAMES or not beside.exists() else str(beside.resolve())

    def for_smoke(self) -> Experiment:
        """Return the same experiment, tiny, with records of its own."""
        tiny = self.smoke
        changed = {**msgspec.to_builtins(self.protocol), **tiny.protocol}
        datasets = {
            key: DatasetSpec(
                title=spec.title,
                source=tiny.dataset.source or spec.source or key,
                n=tiny.dataset.n or spec.n,
                m=tiny.dataset.m or spec.m,
                bank=tiny.dataset.bank if tiny.dataset.source else spec.bank,
                without=spec.without,
            )
            for key, spec in list(self.datasets.items())[: tiny.datasets]
        }
        methods = {
            key: msgspec.structs.replace(
                spec,
                options={**spec.options, **tiny.methods.get(key, {})},
                seeds=min(tiny.seeds, spec.seeds or tiny.seeds),
            )
            for key, spec in self.methods.items()
        }
        return msgspec.structs.replace(
            self,
            seeds=tiny.seeds,
            protocol=msgspec.convert(changed, Protocol),
            datasets=datasets,
            methods=methods,
            results=f"{Path(self.file).stem}.smoke",
        )

    def cells(self) -> Iterator[Cell]:
        """Iterate over the cells, seed by seed, so the first ones cover every dataset and method."""
        options = {key: effective_options(spec) for key, spec in self.methods.items()}
        for seed in range(self.seeds):
            for dataset, source in self.datasets.items():
                for method, spec in self.methods.items():
                    wanted = self.seeds if spec.seeds is None else spec.seeds
                    if seed < wanted and method not in source.without:
                        yield self._cell(dataset, source, method, options[method], seed)

    def _cell(self, dataset: str, source: DatasetSpec, method: str, options: dict[str, Any], seed: int) -> Cell:
        return Cell(
            dataset=dataset,
            method=method,
            seed=seed,
            source=source.source or dataset,
            model=self.methods[method].model,
            options={**options, "seed": seed} if "seed" in options else options,
            protocol=self.protocol,
            n=source.n,
            m=source.m,
            bank=source.bank,
        )


def effective_options(spec: MethodSpec) -> dict[str, Any]:
    """Return a model's options with the defaults of its class; one thread trains, so all machines add in the same order."""
    if spec.model not in MODELS:
        return dict(spec.options)
    config = make_model(spec.model, **spec.options).get_params()
    if config.get("workers", 1) is None:
        config["workers"] = 1
    return config


# -- reading -----------------------------------------------------------------------------------------


def read_experiment(path: PathLike) -> Experiment:
    """Read an experiment; a :class:`~hyperhedge.errors.FormatError` names the file and the key that is wrong."""
    file = Path(path)
    try:
        document = tomllib.loads(read_bytes(file).decode())
    except UnicodeDecodeError:
        raise FormatError("the bytes are not UTF-8 text; is this a TOML file?", path=file) from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"this is not TOML: {shortened(str(error))}", path=file) from None
    try:
        if "file" in document:
            raise FormatError(_NO_SUCH_KEY, where="file")
        experiment = msgspec.convert({**document, "file": str(file)}, Experiment)
        _check(experiment)
    except msgspec.ValidationError as error:
        raise _explained(error).at(file) from None
    except FormatError as error:
        raise error.at(file) from None
    return experiment


_NO_SUCH_KEY = "there is no such key; is it misspelt?"
_WHERE = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$\.?(?P<where>.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`")
_MISSING = re.compile(r"Object missing required field `(?P<key>.*)`")


def _explained(error: msgspec.ValidationError, within: str = "") -> FormatError:
    """Put into words which key is wrong.

    Examples
    --------
    >>> print(_explained(msgspec.ValidationError("Object contains unknown field `tset` - at `$.protocol`")))
    protocol.tset: there is no such key; is it misspelt?
    """
    match = _WHERE.fullmatch(str(error))
    what, where = (match["what"], match["where"] or "") if match else (str(error), "")
    keys = [key for key in (within, where) if key]
    for pattern, sentence in ((_UNKNOWN, _NO_SUCH_KEY), (_MISSING, "this key is missing")):
        if key_match := pattern.fullmatch(what):
            return FormatError(sentence, where=shortened(".".join([*keys, key_match["key"]])))
    return FormatError(
        shortened(what[:1].lower() + what[1:]).replace("`", "'"), where=shortened(".".join(keys)) or None
    )


def _check(experiment: Experiment) -> None:
    """Refuse what types do not rule out, before anything runs."""
    _check_names(experiment)
    _check_protocol(experiment)
    for key, dataset in experiment.datasets.items():
        _check_numbers(dataset, f"datasets.{key}")
    _check_numbers(experiment.smoke.dataset, "smoke.dataset")
    for key, spec in experiment.methods.items():
        _check_options(spec, f"methods.{key}.options")
        tiny = {**spec.options, **experiment.smoke.methods.get(key, {})}
        _check_options(msgspec.structs.replace(spec, options=tiny), f"smoke.methods.{key}")
    try:
        experiment.for_smoke()
    except msgspec.ValidationError as error:
        raise _explained(error, "smoke.protocol") from None


def _check_names(experiment: Experiment) -> None:
    for name in (*experiment.datasets, *experiment.methods):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise FormatError(
                f"the name {shown(name)} must have letters, digits, '.', '_' and '-' only: files are named after it"
            )
    named = {"reference": experiment.reference, **{f"smoke.methods.{key}": key for key in experiment.smoke.methods}}
    named |= {f"datasets.{name}.without": key for name, spec in experiment.datasets.items() for key in spec.without}
    for where, key in named.items():
        if key is not None and key not in experiment.methods:
            raise FormatError(f"{shown(key)} is none of the methods", where=where)


_COLLECTION_ONLY = ("train", "test", "leak_free", "bootstrap", "permutations")


def _check_protocol(experiment: Experiment) -> None:
    if experiment.protocol.whole:
        _check_whole_protocol(experiment)
        return
    for key in ("train", "test", "generated"):
        number = getattr(experiment.protocol, key)
        if number == 0:
            raise FormatError("this key is missing", where=f"protocol.{key}")
        if number < 2:
            raise FormatError("expected 'int' >= 2", where=f"protocol.{key}")
    if any(spec.model == REWIRED for spec in experiment.methods.values()):
        raise FormatError(f"{REWIRED!r} is a method for whole hypergraphs; set whole = true", where="protocol")
    for key in experiment.protocol.metrics:
        if key not in METRICS:
            raise FormatError(
                f"there is no metric {shown(key)}; there are: {', '.join(METRICS)}", where="protocol.metrics"
            )
    floor = any(spec.model == REAL for spec in experiment.methods.values())
    train, _, generated = experiment.protocol.counts
    if floor and train < generated:
        raise FormatError(
            "the floor takes as many training hypergraphs as are generated; raise train or lower generated",
            where="protocol.train",
        )


def _check_whole_protocol(experiment: Experiment) -> None:
    """Refuse what has no meaning for whole hypergraphs."""
    default = Protocol()
    for key in _COLLECTION_ONLY:
        if getattr(experiment.protocol, key) != getattr(default, key):
            raise FormatError("this key is for collections of hypergraphs, not for whole ones", where=f"protocol.{key}")
    for key, spec in experiment.datasets.items():
        if spec.n is not None or spec.m is not None or spec.bank:
            raise FormatError("whole hypergraphs have no shapes and no bank", where=f"datasets.{key}")
    try:
        select_measures(experiment.protocol.measures)
    except HyperhedgeError as error:
        raise FormatError(str(error), where="protocol.metrics") from None


def _check_numbers(spec: DatasetSpec, where: str) -> None:
    for name, number in (("n", spec.n), ("m", spec.m)):
        ends = number if isinstance(number, list) else [number, number]
        if number is not None and not (len(ends) == 2 and 1 <= ends[0] <= ends[1]):  # type: ignore[operator]
            raise FormatError(
                f"give a whole number from 1 on, or [least, greatest], not {shown(number)}", where=f"{where}.{name}"
            )


def _check_options(spec: MethodSpec, where: str) -> None:
    """Refuse options that a known model does not take; a model that is not installed fails its cells only."""
    if "seed" in spec.options:
        raise FormatError("each cell sets its own seed; leave it out", where=f"{where}.seed")
    if spec.model == REAL and spec.options:
        raise FormatError("the floor takes no options", where=where)
    if spec.model == REWIRED:
        share = spec.options.get("share")
        if set(spec.options) != {"share"} or not isinstance(share, float) or not 0 < share <= 1:
            raise FormatError("give the share of the incidences that are rewired, such as share = 0.1", where=where)
    try:
        effective_options(spec)
    except HyperhedgeError as error:
        raise FormatError(str(error), where=where) from None
