"""The log of a training: a line of JSON for each report, as a file, in memory, and to TensorBoard.

A line has the iteration, the mean loss and gradient norm since the line before, the learning rate, samples per second, seconds,
and the validation loss where there is one; or it tells an event (resumed, rolled back, interrupted, stopped). A checkpoint
remembers the length of the log, which is cut back to it when the training is resumed: what a killed run wrote after its last
checkpoint is written again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from hyperhedge._system.optional import require
from hyperhedge.errors import TrainingError

FILE = "log.jsonl"
_CURVES = ("loss", "validation", "learning_rate", "gradient_norm", "samples_per_second")


class Log:
    """The lines of a training; to be used as a context.

    Parameters
    ----------
    file
        Where they are written; None for nowhere.
    length
        How many bytes of the file to keep.
    writer
        A writer of TensorBoard, which also gets them.

    Attributes
    ----------
    lines
        All lines, with those of earlier runs that are resumed.
    """

    def __init__(self, file: Path | None = None, *, length: int = 0, writer: Any = None) -> None:
        self.file, self.writer = file, writer
        self.lines: list[dict[str, Any]] = []
        self._out: IO[bytes] | None = None
        if file is not None:
            try:
                self._open(file, length)
            except OSError as error:
                self.__exit__()
                raise self._failed(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._out is not None:
            self._out.close()
        if self.writer is not None:
            self.writer.close()

    @property
    def length(self) -> int:
        """The length of the file in bytes."""
        return self._out.tell() if self._out is not None else 0

    def add(self, **line: Any) -> None:
        """Write a line."""
        self.lines.append(line)
        if self._out is not None:
            try:
                _write_all(self._out, msgspec.json.encode(line) + b"\n")
            except OSError as error:
                raise self._failed(error) from None
        if self.writer is not None:
            for name in _CURVES:
                if line.get(name) is not None:
                    self.writer.add_scalar(name, line[name], line["iteration"])

    def sync(self) -> None:
        """Bring what is written to the disk."""
        if self._out is not None:
            os.fsync(self._out.fileno())

    def _open(self, file: Path, length: int) -> None:
        kept = file.read_bytes()[:length] if length and file.exists() else b""
        kept = kept[: kept.rfind(b"\n") + 1]
        try:
            self.lines = [msgspec.json.decode(line) for line in kept.splitlines()]
        except msgspec.DecodeError:
            raise TrainingError(f"{file}: this is not the log of the checkpoint beside it; move it away") from None
        self._out = file.open("r+b" if file.exists() else "xb", buffering=0)  # a line is there once it is written
        self._out.truncate(len(kept))
        self._out.seek(0, os.SEEK_END)

    def _failed(self, error: OSError) -> TrainingError:
        why = (error.strerror or str(error)).lower()
        return TrainingError(f"{self.file}: the log cannot be written ({why}); make room or choose another folder")


def _write_all(out: IO[bytes], data: bytes) -> None:
    """Write all bytes: an unbuffered file may take a part of them before its disk is full, and raises at the next."""
    while data:
        data = data[out.write(data) :]


def tensorboard_writer(folder: Path, iteration: int) -> Any:
    """Return a writer of TensorBoard that goes on after an iteration."""
    require("tensorboard", "tensorboard")
    module = require("torch.utils.tensorboard", "tensorboard")
    return module.SummaryWriter(log_dir=str(folder / "tensorboard"), purge_step=iteration + 1)
