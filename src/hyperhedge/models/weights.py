"""The weights of a trained generator: made from a seed, and kept in ``arrays.safetensors`` beside ``model.json``.

*From a seed.* Torch initialises layers from its global generator, which all threads share. :func:`seeded_weights` hands the
initialisers a generator of their own instead, so that models which are fitted at the same time do not disturb each other.

*From a file.* A saved model may come from anybody, so it is judged before it costs anything: the header of the file says which
shapes the weights have (:mod:`hyperhedge.train.tensors`); the arguments in ``model.json`` are compared with these; the network is
made without memory (on torch's device ``meta``) and all its shapes are compared too. Only then are tensors read, and become the
network's weights as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from torch import nn
from torch.overrides import TorchFunctionMode

from hyperhedge.errors import FormatError
from hyperhedge.io.files import read_bytes
from hyperhedge.train.tensors import Claim, read_claims

ARRAYS = "arrays.safetensors"

_PREFIX = "network."
_WIDEST = 2**20  # what a dimension of a network may be; squares of it are far from overflowing


# -- from a seed -----------------------------------------------------------------------------------------


class seeded_weights(TorchFunctionMode):  # noqa: N801  # a context manager, used like a function
    """Let modules made in this context have the initial weights of a seed.

    They are those that ``torch.manual_seed`` would give. The context holds for its own thread alone, and neither reads nor changes
    the global generator.

    Examples
    --------
    >>> with seeded_weights(3):
    ...     layer = nn.Linear(2, 2)
    >>> _ = torch.manual_seed(3)
    >>> torch.equal(layer.weight, nn.Linear(2, 2).weight)
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Call a function of torch, with the generator if it is one that initialises."""
        del types
        options = dict(kwargs or {})
        if getattr(func, "__name__", "") in _RANDOM and options.get("generator") is None:
            options["generator"] = self.generator
        return func(*args, **options)


_INITIALISERS = ("kaiming_uniform_", "kaiming_normal_", "xavier_uniform_", "xavier_normal_", "orthogonal_")
_RANDOM = {"uniform_", "normal_", "trunc_normal_", "rand", "randn", "randint", "randperm", *_INITIALISERS}


# -- into a file -----------------------------------------------------------------------------------------


def weights_of(module: nn.Module | None) -> dict[str, torch.Tensor]:
    """Return the weights of a module by names that start with ``network.``, as files have them; none without a module."""
    weights = {} if module is None else module.state_dict()
    return {f"{_PREFIX}{name}": tensor.cpu().contiguous() for name, tensor in weights.items()}


# -- from a file -----------------------------------------------------------------------------------------


class SavedArrays:
    """The arrays of a saved model, of which so far only the header is read.

    Parameters
    ----------
    file
        Its ``arrays.safetensors``.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._claims, _ = read_claims(file)
        except FileNotFoundError:
            raise FormatError("this file of the model is missing; copy the whole folder", path=file) from None

    @cached_property
    def weights(self) -> dict[str, Claim]:
        """What the header says of the weights, all that is not of the training set."""
        return {name: claim for name, claim in self._claims.items() if not name.startswith("training.")}

    # -- what the weights say of the arguments ------------------------------------------------------

    def size(self, name: str, axis: int) -> int:
        """Return how long weights of the network are along an axis."""
        claim = self.weights.get(f"{_PREFIX}{name}")
        if claim is None:
            raise FormatError(f"the weights '{_PREFIX}{name}' are absent; copy the whole folder", path=self.file)
        if not (axis < len(claim.shape) and 0 < claim.shape[axis] <= _WIDEST):
            raise FormatError(f"the weights '{_PREFIX}{name}' cannot be {claim}", path=self.file)
        return claim.shape[axis]

    def depth(self, name: str) -> int:
        """Return how many layers of a list in the network have weights."""
        layer = re.compile(rf"{re.escape(_PREFIX + name)}\.(\d+)\.")
        return len({match[1] for match in map(layer.match, self.weights) if match})

    def check_arguments(self, described: Mapping[str, Any], saved: Mapping[str, int]) -> None:
        """Compare arguments in ``model.json`` with those that the weights have."""
        for name, value in saved.items():
            if described[name] != value:
                raise FormatError(
                    f"it is {described[name]!r}, and the weights in {self.file.name} are of a model with {name}={value}",
                    where=f"config.{name}",
                )

    # -- reading -----------------------------------------------------------------------------------

    def check_shapes(self, module: nn.Module) -> None:
        """Compare the weights with those of a module, which may be one without memory."""
        wanted = {f"{_PREFIX}{name}": _kind(tensor) for name, tensor in module.state_dict().items()}
        there = {name: str(claim) for name, claim in self.weights.items()}
        for name in sorted(wanted.keys() | there.keys()):
            if wanted.get(name) != there.get(name):
                raise FormatError(
                    f"the weights {name!r} are {there.get(name, 'absent')}, and {wanted.get(name, 'absent')} in the network that "
                    "model.json describes",
                    path=self.file,
                )

    def read(self) -> dict[str, torch.Tensor]:
        """Read all arrays."""
        try:
            return load_tensors(read_bytes(self.file))
        except (SafetensorError, ValueError, RuntimeError) as error:
            why = " ".join(str(error).split())
            raise FormatError(f"the file is damaged or cut short ({why})", path=self.file) from None

    def give_weights(self, module: nn.Module, tensors: Mapping[str, torch.Tensor]) -> None:
        """Let tensors be the weights of a module that was checked, or refuse them."""
        for name in self.weights:
            if not torch.isfinite(tensors[name]).all():
                raise FormatError(f"the weights {name!r} hold NaN or infinity; fit the model again", path=self.file)
        module.load_state_dict({name.removeprefix(_PREFIX): tensors[name] for name in self.weights}, assign=True)
        module.requires_grad_(False).eval()


def _kind(tensor: torch.Tensor) -> str:
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"
