r"""What a generator is: something that is fitted to hypergraphs and samples new ones.

A generator turns a training set :math:`H_1, …, H_N` into a law on hypergraphs (:meth:`BaseGenerator.fit`) and samples from it
(:meth:`BaseGenerator.sample`). Shapes come first, :math:`(n, m) \sim \frac1N \sum_i \delta_{(n_i, m_i)}`; the law of the
incidences, given the shape, is the model's own.

The conventions are those of scikit-learn: a constructor stores its arguments as they are, ``get_params``, ``set_params`` and
``sklearn.base.clone`` work, ``fit`` returns the model, and fitted attributes end in ``_``.

*A saved model* is a folder with ``model.json`` (the model's name, its arguments, and small facts that were fitted) and, where a
model needs them, files with arrays beside it. It is written whole or not at all, and nothing in it is ever unpickled.

*To write a generator*, derive from :class:`BaseGenerator`, implement :meth:`BaseGenerator._fit` and
:meth:`BaseGenerator._sample`, and list the fitted facts in a ``fitted_type``. For :func:`make_model`, :func:`load_model` and the
command line to find it by its name, let its package declare an entry point in the group ``hyperhedge.models``::

    [project.entry-points."hyperhedge.models"]
    my-model = "my_package.my_module:MyModel"
"""

from __future__ import annotations

import hashlib
import inspect
import operator
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import msgspec
import numpy as np

from hyperhedge._system.memory import refuse_beyond
from hyperhedge.convert import as_hypergraphs
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, GeneratorError, shortened, shown
from hyperhedge.io.files import PathLike, atomic_folder, read_bytes
from hyperhedge.io.hif import explain_json_error
from hyperhedge.models.repeats import REPEATS, Repeats, has_repeats
from hyperhedge.typing import IntArray

__all__ = [
    "MODELS",
    "BaseGenerator",
    "Count",
    "NoFacts",
    "Record",
    "Seed",
    "fingerprint",
    "is_saved_model",
    "list_of_hypergraphs",
    "load_model",
    "make_model",
    "model_class",
    "model_names",
    "one_of",
    "rng_of",
    "shapes_of",
    "whole_number",
]

#: What randomness comes from.
Seed: TypeAlias = int | np.random.Generator

#: A number of things, as saved models have it.
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]

MODELS: dict[str, str] = {
    "hedge": "hyperhedge.models.hedge.model:Hedge",
    "erdos-renyi": "hyperhedge.models.erdos_renyi:ErdosRenyi",
    "configuration": "hyperhedge.models.configuration.model:ConfigurationModel",
    "chung-lu": "hyperhedge.models.chung_lu:ChungLu",
    "block-model": "hyperhedge.models.block_model:BlockModel",
    "hyperlap": "hyperhedge.models.hyperlap.model:HyperLap",
    "multiscale-shuffle": "hyperhedge.models.multiscale.model:MultiscaleShuffle",
    "hyperedge-copying": "hyperhedge.models.copying.model:HyperedgeCopying",
    "hyper-dk": "hyperhedge.models.hyper_dk.model:HyperDK",
    "hy-mmsbm": "hyperhedge.models.hy_mmsbm.model:HyMMSBM",
    "hygene": "hyperhedge.models.hygene.model:Hygene",
    "dde": "hyperhedge.models.dde.model:DDE",
}
"""The generators of this package by name, as ``"module:Class"``; a module is imported when its model is used."""

ENTRY_POINTS = "hyperhedge.models"
"""The group of entry points in which other packages declare their generators."""

RECORD = "model.json"
FORMAT_VERSION = 1

_FEWER = "sample fewer at a time (hyperhedge sample --cluster local writes them as they come)"


class NoFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted facts of a model that has none."""


class BaseGenerator(ABC):
    """Something that is fitted to hypergraphs and samples new ones.

    Attributes
    ----------
    shapes_ : dict[tuple[int, int], int]
        How many training hypergraphs have each shape (n, m); set by :meth:`fit`.
    has_repeats_ : bool or None
        Whether a training hypergraph has repeated hyperedges; None if the model was saved before that was asked.
    """

    name: ClassVar[str]
    """The name by which :func:`make_model` and the command line find the model."""

    fitted_type: ClassVar[type[msgspec.Struct]] = NoFacts
    """The fitted facts that go into ``model.json``: a field ``density`` is the attribute ``density_``."""

    sample_options: ClassVar[tuple[str, ...]] = ()
    """The options of :meth:`sample` beside ``count`` and ``seed``."""

    fit_options: ClassVar[tuple[str, ...]] = ()
    """The options of :meth:`fit` beside ``training``."""

    # Whether samples may have repeated hyperedges, see hyperhedge.models.repeats; an argument of the models of this package.
    repeats: Repeats = "allow"

    shapes_: dict[tuple[int, int], int]
    has_repeats_: bool | None = None

    # -- what a model implements -------------------------------------------------------------------

    @abstractmethod
    def _fit(self, training: list[Hypergraph]) -> None:
        """Learn from a training set, which is not empty; set the fitted attributes.

        The options that the class lists in ``fit_options`` are passed on as keyword arguments.
        """

    @abstractmethod
    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Sample at least one hypergraph; all randomness comes from ``rng``.

        The labels are 0, 1, …, unless nodes and hyperedges of a sample are those of a training hypergraph, one by one: then they
        may have its labels, and the model says so.
        The options that the class lists in ``sample_options`` are passed on as keyword arguments.
        """

    def _check(self) -> None:  # noqa: B027  # some models have no arguments
        """Refuse arguments of the constructor that make no sense; it calls this at its end, and so does :meth:`fit`."""

    def _write_arrays(self, folder: Path) -> None:  # noqa: B027  # most models have none
        """Write what does not belong into ``model.json``."""

    def _read_arrays(self, folder: Path) -> None:  # noqa: B027
        """Read what :meth:`_write_arrays` wrote, or raise a FormatError that names the file."""

    # -- what a user calls -------------------------------------------------------------------------

    def fit(self, training: Iterable[Any], **options: Any) -> Self:
        """Learn from hypergraphs, and return the model itself.

        Parameters
        ----------
        training
            Hypergraphs, of this package or of another one (:func:`hyperhedge.convert.as_hypergraph`).
        options
            Those that the model lists in ``fit_options``.
        """
        self._check_options("fit", options, self.fit_options)
        self._check()  # arguments may have been changed since the constructor checked them
        graphs = list_of_hypergraphs(training, "training")
        vars(self).pop("shapes_", None)  # a fit that fails leaves no half-fitted model
        self._fit(graphs, **options)
        self.shapes_, self.has_repeats_ = shapes_of(graphs), any(map(has_repeats, graphs))
        return self

    def sample(self, count: int = 1, *, seed: Seed | None = None, **options: Any) -> list[Hypergraph]:
        """Sample new hypergraphs, labelled 0, 1, … unless the model says otherwise.

        Parameters
        ----------
        count
            How many.
        seed
            A whole number gives the same hypergraphs every time; a numpy generator is used as it is; None gives new ones.
        options
            Those that the model lists in ``sample_options``.
        """
        self._check_fitted()
        self._check_options("sample", options, self.sample_options)
        count, rng = whole_number(count, "count", least=0), rng_of(seed)
        self._refuse_too_many(count)
        return self._sample(count, rng, **options) if count else []

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the model into a folder, whole or not at all; :func:`load_model` loads it.

        Parameters
        ----------
        path
            A folder that is new or empty.
        overwrite
            Replace a folder that holds a saved model. Any other folder is never replaced.
        """
        self._check_fitted()
        if self.name not in model_names():
            raise GeneratorError(
                f"load_model would not find {type(self).__name__}: no installed package declares the model {self.name!r}; "
                f"declare it as an entry point in the group {ENTRY_POINTS!r}"
            )
        with atomic_folder(path, replace=overwrite and is_saved_model(Path(path))) as folder:
            self._write_arrays(folder)
            (folder / RECORD).write_bytes(_encoded(self._record()))

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Load a saved model of this class."""
        model = load_model(path)
        if not isinstance(model, cls):
            raise FormatError(f"the model saved here is {model!r}, not a {cls.__name__}", path=Path(path) / RECORD)
        return model

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments by name, as scikit-learn does.

        Parameters
        ----------
        deep
            No argument is itself a model, so this makes no difference.
        """
        del deep
        return {name: getattr(self, name) for name in _arguments_of(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor, all or none, and return the model itself; fit it again afterwards."""
        _check_arguments(type(self), params)
        type(self)(**{**self.get_params(), **params})  # refuses what the constructor refuses
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: argument.default for name, argument in _arguments_of(type(self)).items()}
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    # -- what models share -------------------------------------------------------------------------

    def _sample_shapes(self, count: int, rng: np.random.Generator) -> IntArray:
        """Sample shapes (n, m), uniformly over the training hypergraphs; an array ``(count, 2)``."""
        shapes = np.array(list(self.shapes_), dtype=np.int64)
        shares = np.array(list(self.shapes_.values())) / sum(self.shapes_.values())
        sampled: IntArray = shapes[rng.choice(len(shapes), size=count, p=shares)]
        return sampled

    def _forbids_repeats(self, repeats: Repeats | None = None) -> bool:
        """Return whether samples must not have repeated hyperedges: by the caller's choice, or else the model's own."""
        chosen = self.repeats if repeats is None else repeats
        one_of(chosen, REPEATS, "repeats")
        return chosen == "forbid" or (chosen == "as-data" and self.has_repeats_ is False)

    def _check_options(self, method: str, options: Iterable[str], known: tuple[str, ...]) -> None:
        unknown = [option for option in options if option not in known]
        if unknown:
            has = f"it has: {', '.join(known)}" if known else "it has none"
            raise GeneratorError(f"{method} of {type(self).__name__} has no option {unknown[0]!r}; {has}")

    def _refuse_too_many(self, count: int) -> None:
        """Refuse more samples than fit into memory: about two kilobytes each, and labels, sizes and degrees."""
        each = sum(number * (2000 + 24 * (n + m)) for (n, m), number in self.shapes_.items())
        refuse_beyond(count * each // sum(self.shapes_.values()), f"sampling {count:,} hypergraphs", _FEWER)

    def _check_fitted(self) -> None:
        if not hasattr(self, "shapes_"):
            raise GeneratorError(
                f"this {type(self).__name__} is not fitted yet; call fit with training hypergraphs first"
            )

    def _json_params(self) -> dict[str, Any]:
        """Return the constructor's arguments, with the numbers of numpy as Python's: JSON has no others."""
        params = self.get_params()
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in params.items()}

    def _record(self) -> Record:
        return Record(
            format="hyperhedge-model",
            format_version=FORMAT_VERSION,
            model=self.name,
            hyperhedge=version("hyperhedge"),
            config=self._json_params(),
            sizes=[(n, m, count) for (n, m), count in self.shapes_.items()],
            fitted={field: getattr(self, field + "_") for field in self.fitted_type.__struct_fields__},
            has_repeats=self.has_repeats_,
        )

    def _restore(self, record: Record, folder: Path) -> None:
        """Set the fitted attributes from a saved model."""
        facts = msgspec.convert(record.fitted, self.fitted_type)
        for field in self.fitted_type.__struct_fields__:
            setattr(self, field + "_", getattr(facts, field))
        self.shapes_ = {(n, m): count for n, m, count in record.sizes}
        self.has_repeats_ = record.has_repeats
        self._read_arrays(folder)


def shapes_of(graphs: Iterable[Hypergraph]) -> dict[tuple[int, int], int]:
    """Count the shapes (n, m) of hypergraphs."""
    return dict(Counter((H.n, H.m) for H in graphs))


# -- models by name ----------------------------------------------------------------------------------


def model_names() -> tuple[str, ...]:
    """List the names of all models: those of this package, then those that other installed packages declare.

    Examples
    --------
    >>> model_names()
    ('hedge', 'erdos-renyi', 'configuration', 'chung-lu', 'block-model', 'hyperlap', 'multiscale-shuffle', 'hyperedge-copying',
    'hyper-dk', 'hy-mmsbm', 'hygene'...)
    """
    return *MODELS, *sorted(entry_points(group=ENTRY_POINTS).names - MODELS.keys())


def model_class(name: str) -> type[BaseGenerator]:
    """Find a model's class by its name, in this package or through an entry point of another one.

    Examples
    --------
    >>> model_class("erdos-renyi")
    <class 'hyperhedge.models.erdos_renyi.ErdosRenyi'>
    """
    if name in MODELS:
        cls: type[BaseGenerator] = EntryPoint(name, MODELS[name], ENTRY_POINTS).load()
        return cls
    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        return _class_of(entry_point)
    raise GeneratorError(f"there is no model {shown(name)}; there are: {', '.join(model_names())}")


def _class_of(entry_point: EntryPoint) -> type[BaseGenerator]:
    """Load another package's class, or say in one sentence why that fails."""
    package = "an installed package" if entry_point.dist is None else f"the package {entry_point.dist.name!r}"
    declared = f"the model {entry_point.name!r}, which {package} declares as {entry_point.value!r},"
    try:
        cls = entry_point.load()
    except Exception as error:  # a module that is imported may raise anything
        raise GeneratorError(
            f"{declared} cannot be loaded ({type(error).__name__}: {' '.join(str(error).split())}); update or remove that package"
        ) from error
    if not (isinstance(cls, type) and issubclass(cls, BaseGenerator)):
        raise GeneratorError(f"{declared} is not a class derived from BaseGenerator; update or remove that package")
    if cls.name != entry_point.name:
        raise GeneratorError(f"{declared} has the name {cls.name!r}; the class and the entry point must agree")
    return cls


def make_model(name: str, /, **config: Any) -> BaseGenerator:
    """Make a model by its name, with the arguments of its constructor.

    Examples
    --------
    >>> make_model("erdos-renyi", repair=False)
    ErdosRenyi(repair=False)
    """
    cls = model_class(name)
    _check_arguments(cls, config)
    return cls(**config)


def _arguments_of(cls: type[BaseGenerator]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(cls).parameters


def _check_arguments(cls: type[BaseGenerator], names: Iterable[str]) -> None:
    arguments = _arguments_of(cls)
    unknown = [name for name in names if name not in arguments]
    if unknown:
        has = f"it has: {', '.join(arguments)}" if arguments else "it has none"
        raise GeneratorError(f"the model {cls.name!r} has no option {shown(unknown[0])}; {has}")


# -- saved models ------------------------------------------------------------------------------------


class _Header(msgspec.Struct):
    """What every version of ``model.json`` has."""

    format: Literal["hyperhedge-model"]
    format_version: Annotated[int, msgspec.Meta(ge=1)]
    hyperhedge: str


class Record(_Header):
    """What ``model.json`` holds."""

    model: str
    config: dict[str, Any]
    sizes: Annotated[
        list[tuple[Count, Count, Annotated[int, msgspec.Meta(ge=1, lt=2**31)]]], msgspec.Meta(min_length=1)
    ]
    fitted: dict[str, Any]
    has_repeats: bool | None = None


def load_model(path: PathLike) -> BaseGenerator:
    """Load a saved model, whichever it is.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> model = make_model("erdos-renyi").fit([Hypergraph([[0, 1], [1, 2]])])
    >>> model.save(folder)
    >>> load_model(folder)
    ErdosRenyi()
    >>> load_model(folder).sample(seed=1) == model.sample(seed=1)
    True
    """
    folder = Path(path)
    file = folder / RECORD
    if folder.exists() and not folder.is_dir():
        raise FormatError("this is a file; a saved model is a folder", path=folder)
    if folder.is_dir() and not file.is_file():
        raise FormatError(f"there is no {RECORD} in this folder: it is not a saved model", path=folder)
    try:
        record = _read_record(file)
        model = make_model(record.model, **record.config)
        model._restore(record, folder)
    except msgspec.ValidationError as error:
        raise FormatError(
            f"this does not describe a saved model: {shortened(str(error)).replace('`', chr(39))}", path=file
        ) from None
    except FormatError as error:
        raise error.at(file) from None
    except GeneratorError as error:
        raise FormatError(str(error), path=file) from None
    return model


def _read_record(file: Path) -> Record:
    data = read_bytes(file)
    try:
        header = msgspec.json.decode(data, type=_Header)
        if header.format_version > FORMAT_VERSION:
            raise FormatError(
                f"the model was saved by hyperhedge {header.hyperhedge} in format version {header.format_version}, and this "
                f"version reads up to {FORMAT_VERSION}; upgrade hyperhedge"
            )
        return msgspec.json.decode(data, type=Record)
    except (msgspec.ValidationError, FormatError):
        raise
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _encoded(record: Record) -> bytes:
    """Write ``model.json``: a line for each key."""
    lines = [
        b" %b: %b" % (msgspec.json.encode(key), msgspec.json.encode(value))
        for key, value in msgspec.structs.asdict(record).items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def is_saved_model(folder: Path) -> bool:
    """Return whether a folder holds a saved model, which may be replaced."""
    try:
        msgspec.json.decode(read_bytes(folder / RECORD), type=_Header)
    except (OSError, ValueError, RecursionError):
        return False
    return True


# -- checks ------------------------------------------------------------------------------------------


def fingerprint(hypergraphs: Iterable[Hypergraph]) -> str:
    """Hash the incidences of hypergraphs, in their order; labels do not matter."""
    digest = hashlib.sha256()
    for H in hypergraphs:
        digest.update(np.array([H.n, H.m, H.num_incidences], dtype="<i8").tobytes())
        digest.update(np.asarray(H.indptr, dtype="<i8").tobytes() + np.asarray(H.indices, dtype="<i8").tobytes())
    return digest.hexdigest()


def list_of_hypergraphs(values: Any, name: str) -> list[Hypergraph]:
    """Return an argument as a list of hypergraphs, at least one.

    Examples
    --------
    >>> list_of_hypergraphs([], "training")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.GeneratorError: training is empty; give at least one hypergraph
    """
    graphs = as_hypergraphs(values, name)
    if not graphs:
        raise GeneratorError(f"{name} is empty; give at least one hypergraph")
    return graphs


def whole_number(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """Check an argument that is a whole number from ``least`` on, and at most ``most``.

    Examples
    --------
    >>> whole_number(-1, "count", least=0)
    Traceback (most recent call last):
        ...
    hyperhedge.errors.GeneratorError: count must be a whole number from 0 on, not -1
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool | np.bool_):
        raise GeneratorError(f"{name} must be a whole number from {least} on, not {shown(value)}")
    if most is not None and number > most:
        raise GeneratorError(f"{name} must be at most {most:,}, not {shown(value)}")
    return number


def one_of(value: Any, options: tuple[Any, ...], name: str) -> None:
    """Check an argument that is one of a few words.

    Examples
    --------
    >>> one_of("node", ("stub", "vertex"), "labelled")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.GeneratorError: labelled must be 'stub' or 'vertex', not 'node'
    """
    if not any(value is option or (isinstance(value, str | np.bool_) and value == option) for option in options):
        raise GeneratorError(f"{name} must be {' or '.join(map(repr, options))}, not {shown(value)}")


def rng_of(seed: Seed | None) -> np.random.Generator:
    """Return a generator of random numbers: the one passed, that of a whole number, or for None one with fresh entropy."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(None if seed is None else whole_number(seed, "seed", least=0))
