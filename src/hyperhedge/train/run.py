"""Which training a folder holds: ``run.json``, with a hash of the training set and the arguments of the model.

A training is resumed with what it was started with, or refused in a sentence that says what differs. Arguments that do not enter
into a step may differ: those of sampling, the device, the number of workers, and what only decides when to stop; the model says
which these are. The seed in the record is the one used, also where the argument was None.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from hyperhedge.errors import TrainingError
from hyperhedge.io.files import PathLike, atomic_file, read_bytes
from hyperhedge.train.checkpoint import FILE as CHECKPOINT
from hyperhedge.train.ranks import process_index

RUN = "run.json"


def begin_run(folder: PathLike, data: str, config: dict[str, Any]) -> None:
    """Write into a folder what is trained there, unless another training is there already."""
    file = Path(folder) / RUN
    if (file.parent / CHECKPOINT).exists():
        raise TrainingError(
            f"{file.parent / CHECKPOINT}: there is a checkpoint already; give resume=True to go on, or another folder"
        )
    if process_index():  # of processes that train together, the first one writes
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(file) as out:
            out.write(msgspec.json.encode({"data": data, "config": config}))
    except OSError as error:
        raise TrainingError(
            f"{file}: this file of the training cannot be written ({_why(error)}); make room or choose another folder"
        ) from None


def check_run(
    folder: PathLike, data: str, config: dict[str, Any], defaults: dict[str, Any], may_change: Sequence[str] = ()
) -> dict[str, Any]:
    """Compare a training with the one in a folder, and return the arguments that it was started with.

    Arguments that the run of an earlier version does not have are the defaults.
    """
    file = Path(folder) / RUN
    before = _read(file)
    if before.data != data:
        raise TrainingError(f"{file}: this training was started with another training set; give the same to resume it")
    now = msgspec.json.decode(msgspec.json.encode(config))  # as the record went through
    for name, value in now.items():
        then = before.config.get(name, defaults.get(name))
        if name not in may_change and then != value:
            raise TrainingError(
                f"{file}: this training was started with {name}={then!r} and now it is {value!r}; give the same to resume it "
                f"(only {', '.join(may_change)} may change)"
            )
    return before.config


class _Run(msgspec.Struct):
    """What ``run.json`` holds."""

    data: str
    config: dict[str, Any]


def _read(file: Path) -> _Run:
    try:
        return msgspec.json.decode(read_bytes(file), type=_Run)
    except (FileNotFoundError, NotADirectoryError):
        raise TrainingError(f"{file}: there is no training here to resume; leave resume out to start one") from None
    except OSError as error:
        raise TrainingError(f"{file}: this file of the training cannot be read ({_why(error)})") from None
    except (ValueError, RecursionError):
        raise TrainingError(f"{file}: this does not describe a training; remove the folder and start again") from None


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
