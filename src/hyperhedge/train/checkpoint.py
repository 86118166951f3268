"""Checkpoints: one file that holds all of a training, and is whole at every moment.

``checkpoint.safetensors`` has the weights, their average, the best average, the optimizer's moments, the last good state and the
state of the generator of draws as tensors, and everything else as JSON in its metadata. It is written to a temporary name,
brought to the disk, and renamed: whenever the process is killed, the old file is there or the new one. A checksum finds damage
that leaves the format intact.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from hyperhedge.errors import FormatError, TrainingError
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.state import Counters, State, Tensors, fingerprint, weights_of
from hyperhedge.train.tensors import read_claims

FILE = "checkpoint.safetensors"
TEMPORARY = f".{FILE}.tmp"  # one name, so that killed runs leave one file at most
FORMAT_VERSION = 1

MAY_CHANGE = ("max_time", "checkpoint_every", "workers", "patience")
"""Settings that may differ when a training is resumed: those that do not enter into a step's mathematics (``max_time`` does through
the schedule, as any time limit does; ``workers`` through the order of sums)."""


class _Header(msgspec.Struct):
    """What every version of a checkpoint has."""

    format: Literal["hyperhedge-training"]
    format_version: int


class Record(_Header, forbid_unknown_fields=True):
    """What a checkpoint holds beside tensors."""

    settings: dict[str, Any]
    fingerprint: str
    counters: Counters
    snapshot_iteration: int
    log_bytes: int


# -- writing ---------------------------------------------------------------------------------------


def write_checkpoint(file: Path, state: State, log_bytes: int) -> None:
    """Write a checkpoint, whole or not at all; ``log_bytes`` is how much of the log belongs to it."""
    record = Record(
        format="hyperhedge-training",
        format_version=FORMAT_VERSION,
        settings=state.settings.as_dict(),
        fingerprint=fingerprint(state.module),
        counters=state.counters,
        snapshot_iteration=state.snapshot_iteration,
        log_bytes=log_bytes,
    )
    tensors = {name: _packed(tensor) for name, tensor in _all_tensors(state).items()}
    text = msgspec.json.encode(record).decode()
    _write_durably(file, save(tensors, {"record": text, "checksum": _checksum(text, tensors)}))


def _all_tensors(state: State) -> Tensors:
    tensors = {**state.tensors(), "generator": state.generator.get_state()}
    tensors |= {f"best.{name}": tensor for name, tensor in state.best.items()}
    if state.snapshot_iteration != state.counters.iteration:  # otherwise it is the present state
        tensors |= {f"snapshot.{name}": tensor for name, tensor in state.snapshot.items()}
    return tensors


def _packed(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().contiguous()


def _checksum(record: str, tensors: Tensors) -> str:
    """Return a checksum of everything, tensors in the order of their names."""
    checksum = zlib.crc32(record.encode())
    for name in sorted(tensors):
        checksum = zlib.crc32(name.encode(), checksum)
        checksum = zlib.crc32(tensors[name].flatten().view(torch.uint8).numpy().data, checksum)
    return f"{checksum:08x}"


def _write_durably(file: Path, data: bytes) -> None:
    temporary = file.with_name(TEMPORARY)
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    """Bring a renaming to the disk, where folders can be synchronised."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# -- reading ---------------------------------------------------------------------------------------


def read_checkpoint(file: Path, state: State) -> Record:
    """Set a state from a checkpoint, or refuse it in one sentence and leave the state as it is."""
    record, tensors = _read(file, most=_most_bytes(state))
    _check_shapes(file, record, state, tensors)
    _check_settings(file, record, state.settings)
    parts = _parts(file, record, state, tensors)
    try:
        state.generator.set_state(tensors["generator"])
    except (KeyError, RuntimeError, TypeError):
        raise _damaged(file, "the state of its generator is missing or not one") from None
    state.restore(parts["present"])
    state.counters = record.counters
    state.best = parts["best"]
    state.snapshot_iteration, state.snapshot = record.snapshot_iteration, parts["snapshot"]
    return record


def iteration_of(file: Path) -> int:
    """Return how many steps a training had done when its checkpoint was written."""
    return _read(file)[0].counters.iteration


def _most_bytes(state: State) -> int:
    """Return more bytes than a checkpoint of a state has, which is up to three times the present state."""
    return (1 << 20) + 8 * sum(tensor.numel() * tensor.element_size() for tensor in state.tensors().values())


def _read(file: Path, most: int | None = None) -> tuple[Record, Tensors]:
    """Read a file and check that it is what was written; ``most`` is how many bytes of tensors it may have."""
    if not file.is_file():
        raise TrainingError(f"{file}: there is no checkpoint to resume from; train without resume first")
    try:
        claimed = sum(claim.bytes for claim in read_claims(file)[0].values())
        if most is not None and claimed > most:
            raise TrainingError(
                f"{file}: the checkpoint has {claimed:,} bytes of tensors, and one of this module has at most {most:,}; "
                "resume with the same module"
            )
        with safe_open(file, framework="pt") as opened:
            metadata = opened.metadata() or {}
            # Copies: what safetensors returns are views of the file.
            tensors = {name: opened.get_tensor(name).clone() for name in opened.keys()}  # noqa: SIM118  # it is no mapping
        if metadata["checksum"] != _checksum(metadata["record"], tensors):
            raise _damaged(file, "its checksum does not fit its contents")
        return _read_record(file, metadata["record"]), tensors
    except FormatError as error:
        raise _damaged(file, error.message) from None
    except KeyError:
        raise _damaged(file, "it is not the checkpoint of a training") from None
    except OSError as error:
        raise TrainingError(
            f"{file}: the checkpoint cannot be read ({(error.strerror or str(error)).lower()})"
        ) from None
    except (SafetensorError, msgspec.DecodeError, RuntimeError) as error:
        raise _damaged(file, " ".join(str(error).split()).rstrip(".").replace("`", "'")) from None


def _read_record(file: Path, text: str) -> Record:
    if msgspec.json.decode(text, type=_Header).format_version > FORMAT_VERSION:
        raise TrainingError(f"{file}: the checkpoint was written by a newer version of hyperhedge; upgrade hyperhedge")
    return msgspec.json.decode(text, type=Record)


def _damaged(file: Path, why: str) -> TrainingError:
    return TrainingError(f"{file}: the checkpoint is damaged ({why}); remove it and start the training again")


def _check_shapes(file: Path, record: Record, state: State, tensors: Tensors) -> None:
    if record.fingerprint == fingerprint(state.module):
        return
    there = {name.removeprefix("weights."): t for name, t in tensors.items() if name.startswith("weights.")}
    here = weights_of(state.module)
    differ = [name for name in (*here, *there) if _kind(here.get(name)) != _kind(there.get(name))]
    first = (
        f"{differ[0]} is {_kind(there.get(differ[0]))} in it and {_kind(here.get(differ[0]))} here"
        if differ
        else "order"
    )
    raise TrainingError(
        f"{file}: the checkpoint is of a module with other weights ({first}); resume with the same module"
    )


def _kind(tensor: Tensor | None) -> str:
    return "absent" if tensor is None else f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"


def _check_settings(file: Path, record: Record, settings: TrainingSettings) -> None:
    now = msgspec.json.decode(msgspec.json.encode(settings.as_dict()))  # as the record went through
    for name, value in now.items():
        then = record.settings.get(name)
        if name not in MAY_CHANGE and then != value:
            raise TrainingError(
                f"{file}: the checkpoint was trained with {name} = {then} and now it is {value}; resume with the same settings "
                f"(only {', '.join(MAY_CHANGE)} may change)"
            )


def _parts(file: Path, record: Record, state: State, tensors: Tensors) -> dict[str, Tensors]:
    """Sort the tensors into the present state, the best average and the last good state, and check that all are there."""
    wanted = state.tensors()
    has_snapshot = record.snapshot_iteration != record.counters.iteration
    weights = weights_of(state.average) if record.counters.best_validation is not None else {}
    parts = {
        "present": _part(file, tensors, "", wanted),
        "best": _part(file, tensors, "best.", weights),
        "snapshot": _part(file, tensors, "snapshot." if has_snapshot else "", wanted),
    }
    buffers = {name for name, _ in state.module.named_buffers()}  # a mask may well hold infinities
    for name, tensor in tensors.items():
        if not bool(tensor.isfinite().all()) and name.removeprefix("snapshot.").partition(".")[2] not in buffers:
            raise TrainingError(
                f"{file}: the checkpoint has numbers that are not finite in {name}; remove it and start the training again"
            )
    return parts


def _part(file: Path, tensors: Tensors, prefix: str, wanted: Tensors) -> Tensors:
    for name, like in wanted.items():
        tensor = tensors.get(prefix + name)
        if tensor is None or tensor.shape != like.shape:
            raise _damaged(file, f"{prefix + name} is {_kind(tensor)} and should be {_kind(like)}")
    return {name: tensors[prefix + name] for name in wanted}
