r"""What a generator is: something that is fitted to hypergraphs and draws new ones.

A generator turns a training set :math:`H_1, …, H_N` into a law on hypergraphs (:meth:`Generator.fit`) and draws from it
(:meth:`Generator.sample`). Sizes come first, :math:`(n, m) \sim \frac1N \sum_i \delta_{(n_i, m_i)}`; the law of the
incidences, given the size, is the model's own.

The habits are those of scikit-learn: a constructor takes the configuration and nothing else, ``fit`` returns the model, what was
fitted ends in ``_``, and a seed gives the same hypergraphs every time.

*A saved model* is a folder with ``model.json`` (what it is, its configuration, and small facts that were fitted) and, where a
model needs them, files with arrays beside it. It is written whole or not at all, and nothing in it is ever unpickled.

*To write a generator*, derive from :class:`Generator`, implement :meth:`Generator._fit` and :meth:`Generator._draw`, list the
fitted facts in a ``fitted_type``, and enter the class in :data:`~hyperhedge.generator.MODELS`. All checks are made here.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import operator
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import msgspec
import numpy as np

from hyperhedge.checks import IntArray
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import PathLike, atomic_folder, read_bytes
from hyperhedge.io.hif import explain_json_error

__all__ = [
    "MODELS",
    "Count",
    "Generator",
    "GeneratorError",
    "NoFacts",
    "Seed",
    "fingerprint",
    "is_saved_model",
    "list_of_hypergraphs",
    "load",
    "make_model",
    "model_class",
    "one_of",
    "rng_of",
    "sizes_of",
    "whole_number",
]

#: What a draw takes for its randomness.
Seed: TypeAlias = int | np.random.Generator

#: A number of things, as saved models have it.
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]

MODELS: dict[str, str] = {
    "hedge": "hyperhedge.hedge.model:Hedge",
    "erdos-renyi": "hyperhedge.baselines.erdos_renyi:ErdosRenyi",
    "configuration": "hyperhedge.baselines.configuration:HypergraphConfigurationModel",
    "chung-lu": "hyperhedge.baselines.chung_lu:ChungLu",
    "block-model": "hyperhedge.baselines.block_model:BlockModel",
    "hygene": "hyperhedge.baselines.hygene.model:Hygene",
}
"""Every generator by name, as ``"module:Class"``; a module is imported when its model is asked for."""

RECORD = "model.json"
FORMAT_VERSION = 1


class GeneratorError(HyperhedgeError, ValueError):
    """A generator was asked for what it cannot do: a bad option, a bad training set, a sample before a fit."""


class NoFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted facts of a model that has none."""


class Generator(ABC):
    """Something that is fitted to hypergraphs and draws new ones.

    Attributes
    ----------
    sizes_ : dict[tuple[int, int], int]
        How many training hypergraphs have each size (n, m); there after :meth:`fit`.
    """

    name: ClassVar[str]
    """The name in :data:`~hyperhedge.generator.MODELS`."""

    fitted_type: ClassVar[type[msgspec.Struct]] = NoFacts
    """The fitted facts that go into ``model.json``: a field ``density`` is the attribute ``density_``."""

    sizes_: dict[tuple[int, int], int]

    # -- what a model implements -------------------------------------------------------------------

    @abstractmethod
    def _fit(self, training: list[Hypergraph]) -> None:
        """Learn from a training set, which is not empty; set the fitted attributes."""

    @abstractmethod
    def _draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        """Draw hypergraphs, at least one, with the labels 0, 1, …; all randomness comes from ``rng``."""

    def _write_arrays(self, folder: Path) -> None:  # noqa: B027  # most models have none
        """Write what does not belong into ``model.json``."""

    def _read_arrays(self, folder: Path) -> None:  # noqa: B027
        """Read what :meth:`_write_arrays` wrote, or raise a FormatError that names the file."""

    # -- what a user calls -------------------------------------------------------------------------

    def fit(self, training: Iterable[Hypergraph]) -> Self:
        """Learn from hypergraphs, and return the model itself."""
        graphs = list_of_hypergraphs(training, "training")
        vars(self).pop("sizes_", None)  # a fit that fails leaves no half-fitted model
        self._fit(graphs)
        self.sizes_ = sizes_of(graphs)
        return self

    def sample(self, count: int = 1, *, seed: Seed = 0) -> list[Hypergraph]:
        """Draw new hypergraphs, labelled 0, 1, …; the same seed draws the same ones.

        Parameters
        ----------
        count
            How many.
        seed
            A whole number, or a numpy generator to draw from.
        """
        self._check_fitted()
        count = whole_number(count, "count", least=0)
        rng = rng_of(seed)
        return self._draw(count, rng) if count else []

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the model into a folder, whole or not at all; :func:`load` brings it back.

        Parameters
        ----------
        path
            A folder that is new or empty.
        overwrite
            Replace a folder that holds a saved model. Any other folder is never replaced.
        """
        self._check_fitted()
        if self.name not in MODELS:
            raise GeneratorError(
                f"{type(self).__name__} is not in MODELS, so that load would not find it; enter it there"
            )
        with atomic_folder(path, replace=overwrite and is_saved_model(Path(path))) as folder:
            self._write_arrays(folder)
            (folder / RECORD).write_bytes(_encoded(self._record()))

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Bring back a saved model of this kind."""
        model = load(path)
        if not isinstance(model, cls):
            raise FormatError(f"the model saved here is {model!r}, not a {cls.__name__}", path=Path(path) / RECORD)
        return model

    @property
    def config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def __repr__(self) -> str:
        given = inspect.signature(type(self)).parameters
        changed = [f"{name}={value!r}" for name, value in self.config.items() if value != given[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    # -- what models share -------------------------------------------------------------------------

    def _draw_sizes(self, count: int, rng: np.random.Generator) -> IntArray:
        """Draw sizes (n, m), uniformly over the training hypergraphs; an array of shape ``(count, 2)``."""
        sizes = np.array(list(self.sizes_), dtype=np.int64)
        shares = np.array(list(self.sizes_.values())) / sum(self.sizes_.values())
        chosen: IntArray = sizes[rng.choice(len(sizes), size=count, p=shares)]
        return chosen

    def _check_fitted(self) -> None:
        if not hasattr(self, "sizes_"):
            raise GeneratorError(
                f"this {type(self).__name__} is not fitted yet; call fit with training hypergraphs first"
            )

    def _record(self) -> _Record:
        return _Record(
            format="hyperhedge-model",
            format_version=FORMAT_VERSION,
            model=self.name,
            hyperhedge=version("hyperhedge"),
            config=self.config,
            sizes=[(n, m, count) for (n, m), count in self.sizes_.items()],
            fitted={field: getattr(self, field + "_") for field in self.fitted_type.__struct_fields__},
        )

    def _restore(self, record: _Record, folder: Path) -> None:
        """Set the fitted attributes from a saved model."""
        facts = msgspec.convert(record.fitted, self.fitted_type)
        for field in self.fitted_type.__struct_fields__:
            setattr(self, field + "_", getattr(facts, field))
        self.sizes_ = {(n, m): count for n, m, count in record.sizes}
        self._read_arrays(folder)


def sizes_of(graphs: Iterable[Hypergraph]) -> dict[tuple[int, int], int]:
    """Count the sizes (n, m) of hypergraphs."""
    return dict(Counter((H.n, H.m) for H in graphs))


# -- models by name ----------------------------------------------------------------------------------


def model_class(name: str) -> type[Generator]:
    """Find a model's class by its name in :data:`~hyperhedge.generator.MODELS`.

    Examples
    --------
    >>> model_class("erdos-renyi")
    <class 'hyperhedge.baselines.erdos_renyi.ErdosRenyi'>
    """
    if name not in MODELS:
        raise GeneratorError(f"there is no model {name!r}; there are: {', '.join(MODELS)}")
    module, _, attribute = MODELS[name].partition(":")
    found: type[Generator] = getattr(importlib.import_module(module), attribute)
    return found


def make_model(name: str, /, **config: Any) -> Generator:
    """Make a model by its name, with options as its constructor takes them.

    Examples
    --------
    >>> make_model("erdos-renyi", repair=False)
    ErdosRenyi(repair=False)
    """
    cls = model_class(name)
    options = inspect.signature(cls).parameters
    unknown = [option for option in config if option not in options]
    if unknown:
        has = f"it has: {', '.join(options)}" if options else "it has none"
        raise GeneratorError(f"the model {name!r} has no option {unknown[0]!r}; {has}")
    return cls(**config)


# -- saved models ------------------------------------------------------------------------------------


class _Header(msgspec.Struct):
    """What every version of ``model.json`` has."""

    format: Literal["hyperhedge-model"]
    format_version: Annotated[int, msgspec.Meta(ge=1)]
    hyperhedge: str


class _Record(_Header):
    """What ``model.json`` holds."""

    model: str
    config: dict[str, Any]
    sizes: Annotated[list[tuple[Count, Count, Annotated[int, msgspec.Meta(ge=1)]]], msgspec.Meta(min_length=1)]
    fitted: dict[str, Any]


def load(path: PathLike) -> Generator:
    """Bring back a saved model, whichever it is.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> model = make_model("erdos-renyi").fit([Hypergraph([[0, 1], [1, 2]])])
    >>> model.save(folder)
    >>> load(folder)
    ErdosRenyi()
    >>> load(folder).sample(seed=1) == model.sample(seed=1)
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
            f"this does not describe a saved model: {str(error).replace('`', chr(39))}", path=file
        ) from None
    except FormatError as error:
        raise error.at(file) from None
    except GeneratorError as error:
        raise FormatError(str(error), path=file) from None
    return model


def _read_record(file: Path) -> _Record:
    data = read_bytes(file)
    try:
        header = msgspec.json.decode(data, type=_Header)
        if header.format_version > FORMAT_VERSION:
            raise FormatError(
                f"the model was saved by hyperhedge {header.hyperhedge} in format version {header.format_version}, and this "
                f"version reads up to {FORMAT_VERSION}; upgrade hyperhedge"
            )
        return msgspec.json.decode(data, type=_Record)
    except (msgspec.ValidationError, FormatError):
        raise
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _encoded(record: _Record) -> bytes:
    """Write ``model.json``: a line for each key."""
    lines = [
        b" %b: %b" % (msgspec.json.encode(key), msgspec.json.encode(value))
        for key, value in msgspec.structs.asdict(record).items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def is_saved_model(folder: Path) -> bool:
    """Tell whether a folder holds a saved model, which may be replaced."""
    try:
        msgspec.json.decode(read_bytes(folder / RECORD), type=_Header)
    except (OSError, ValueError, RecursionError):
        return False
    return True


# -- checks ------------------------------------------------------------------------------------------


def fingerprint(hypergraphs: Iterable[Hypergraph]) -> str:
    """Hash the incidences of hypergraphs, in their order; labels do not matter."""
    found = hashlib.sha256()
    for H in hypergraphs:
        found.update(np.array([H.n, H.m, H.num_incidences], dtype="<i8").tobytes())
        found.update(np.asarray(H.indptr, dtype="<i8").tobytes() + np.asarray(H.indices, dtype="<i8").tobytes())
    return found.hexdigest()


def list_of_hypergraphs(given: Iterable[Hypergraph], name: str) -> list[Hypergraph]:
    """List the hypergraphs of an argument, and refuse what is none.

    Examples
    --------
    >>> list_of_hypergraphs([], "training")
    Traceback (most recent call last):
        ...
    hyperhedge.generator.GeneratorError: training is empty; give at least one Hypergraph
    """
    if isinstance(given, Hypergraph):
        raise GeneratorError(f"{name} is one Hypergraph; give a list of them, such as [H]")
    try:
        graphs = list(given)
    except TypeError:
        raise GeneratorError(f"{name} is a {type(given).__name__}; give a list of Hypergraphs") from None
    if not graphs:
        raise GeneratorError(f"{name} is empty; give at least one Hypergraph")
    for k, H in enumerate(graphs):
        if not isinstance(H, Hypergraph):
            raise GeneratorError(
                f"{name}[{k}] is a {type(H).__name__}, not a Hypergraph; convert it first (from_scipy, from_xgi, …)"
            )
    return graphs


def whole_number(value: Any, name: str, *, least: int) -> int:
    """Check an argument that is a whole number from ``least`` on.

    Examples
    --------
    >>> whole_number(-1, "count", least=0)
    Traceback (most recent call last):
        ...
    hyperhedge.generator.GeneratorError: count must be a whole number from 0 on, not -1
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool | np.bool_):
        raise GeneratorError(f"{name} must be a whole number from {least} on, not {value!r}")
    return number


def one_of(value: Any, options: tuple[Any, ...], name: str) -> None:
    """Check an argument that is one of a few words.

    Examples
    --------
    >>> one_of("node", ("stub", "vertex"), "labelled")
    Traceback (most recent call last):
        ...
    hyperhedge.generator.GeneratorError: labelled must be 'stub' or 'vertex', not 'node'
    """
    if not any(value is option or (isinstance(value, str) and value == option) for option in options):
        raise GeneratorError(f"{name} must be {' or '.join(map(repr, options))}, not {value!r}")


def rng_of(seed: Seed) -> np.random.Generator:
    """Return a generator of random numbers: the given one, or that of a whole number."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole_number(seed, "seed", least=0))
