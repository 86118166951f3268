"""Where the bytes of a dataset come from: a mirror, the cache, or upstream.

A file is named by its path in a mirror, ``Repository/path/in/it``, and pinned by its upstream commit and its
SHA-256. It is looked for

1. in the mirror that the environment variable ``HYPERHEDGE_DATA`` names, and only there if it is set: a folder,
   or the address of a web server (``http://…``) that serves such a folder, through the cache;
2. in the cache: ``HYPERHEDGE_CACHE``, or the platform's folder for caches;
3. upstream, from where it is downloaded into the cache.

Every file is checked against its SHA-256 each time it is used. A download goes to a ``.part`` file beside its
target; an interrupted download leaves it for the next one to continue, and it is renamed only if the whole file has
the right digest. A lock makes two processes that want the same file take turns.

`Pooch <https://www.fatiando.org/pooch>`_ manages the cache, checks and retries; :class:`ResumingDownloader` adds what it
lacks, resuming and :mod:`rich`'s progress bar.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from hyperhedge.errors import DataError

MIRROR_VARIABLE = "HYPERHEDGE_DATA"
CACHE_VARIABLE = "HYPERHEDGE_CACHE"
_CHUNK = 1 << 14  # bytes per write: small enough for a smooth progress bar
_ATTEMPTS = 3
_FINAL_STATUSES = {400, 401, 403, 404, 405, 410, 451}  # HTTP errors that no retry changes


@dataclass(frozen=True)
class RemoteFile:
    """A file of a public repository at one commit."""

    repository: str  # owner/name on GitHub
    commit: str  # 40 hex digits
    path: str  # inside the repository
    sha256: str
    size: int  # in bytes

    @property
    def name(self) -> str:
        """The file's path in a mirror and in the cache."""
        return f"{self.repository.partition('/')[2]}/{self.path}"

    @property
    def url(self) -> str:
        """Where upstream publishes it."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class Store:
    """Reads the files of datasets, and downloads them if need be.

    Attributes
    ----------
    mirror
        A folder, or the address of one, used instead of upstream.
    cache
        The folder of downloaded files; by default the platform's.
    timeout
        How many seconds to wait for the next byte before closing a connection.
    progress
        Where to show progress; a bar appears only on a terminal.
    """

    mirror: str | None = None
    cache: Path | None = None
    timeout: float = 20.0
    progress: Console | None = None

    @classmethod
    def from_environment(cls, *, progress: Console | None = None) -> Store:
        """Return the store that the environment variables describe."""
        cache = os.environ.get(CACHE_VARIABLE)
        return cls(os.environ.get(MIRROR_VARIABLE) or None, Path(cache) if cache else None, progress=progress)

    @property
    def folder(self) -> Path:
        """The cache."""
        if self.cache is not None:
            return self.cache
        import pooch

        return Path(pooch.os_cache("hyperhedge"))

    def local(self, file: RemoteFile) -> Path | None:
        """Return the path of a file on this machine, or None if it is missing or has the wrong digest."""
        path = self._mirrored(file) or self.folder / file.name
        return path if _digest(path) == file.sha256 else None

    def fetch(self, files: Iterable[RemoteFile]) -> list[Path]:
        """Return the files' paths; download those that are missing."""
        return [self._fetch(file) for file in files]

    def read(self, file: RemoteFile) -> bytes:
        """Return a file's bytes, checked."""
        data = self._fetch(file).read_bytes()
        if hashlib.sha256(data).hexdigest() != file.sha256:  # it changed after the check in _fetch
            raise DataError(f"{file.name} changed while it was read; try again")
        return data

    def _mirrored(self, file: RemoteFile) -> Path | None:
        if self.mirror is None or _is_url(self.mirror):
            return None
        return Path(self.mirror).expanduser() / file.name

    def _fetch(self, file: RemoteFile) -> Path:
        mirrored = self._mirrored(file)
        if mirrored is None:
            return self._download(file)
        if not mirrored.is_file():
            raise DataError(
                f"{mirrored}: no such file in the mirror that {MIRROR_VARIABLE} names; save {file.url} there, "
                f"or unset {MIRROR_VARIABLE} to download it"
            )
        if _digest(mirrored) != file.sha256:
            raise DataError(f"{mirrored}: this is not {file.url} (its SHA-256 differs from {file.sha256}); replace it")
        return mirrored

    def _download(self, file: RemoteFile) -> Path:
        import filelock
        import pooch
        import requests

        target = self.folder / file.name
        if _digest(target) == file.sha256:
            return target
        url = file.url if self.mirror is None else f"{self.mirror.rstrip('/')}/{file.name}"
        keeper = pooch.create(
            self.folder,
            base_url="",
            registry={file.name: f"sha256:{file.sha256}"},
            urls={file.name: url},
            retry_if_failed=_ATTEMPTS - 1,
        )
        downloader = ResumingDownloader(target.with_name(target.name + ".part"), file.size, self.timeout, self.progress)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(target.with_name(target.name + ".lock")), _quiet(pooch.get_logger()):
                return Path(keeper.fetch(file.name, downloader=downloader))
        except _RefusedByServerError as error:
            raise DataError(_unreachable(file, url, f"the server answers {error}")) from None
        except requests.exceptions.RequestException as error:
            raise DataError(_unreachable(file, url, _reason(error))) from None
        except ValueError:
            raise DataError(
                f"{url}: the server sent another file (its SHA-256 is not {file.sha256}); nothing was kept, try again later"
            ) from None
        except OSError as error:
            raise DataError(
                f"{error.filename or self.folder}: {(error.strerror or str(error)).lower()}; set {CACHE_VARIABLE} to a folder "
                "that can be written"
            ) from None


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Silence Pooch's messages: the progress bar and our errors say the same."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _unreachable(file: RemoteFile, url: str, why: str) -> str:
    """Explain in one sentence why a file was not downloaded, and how to get it."""
    return (
        f"{file.name} is not on this machine and cannot be downloaded from {url} ({why}); connect and run 'hyperhedge data fetch' "
        f"again, or set {MIRROR_VARIABLE} to a folder that contains {file.name}"
    )


def _reason(error: Exception) -> str:
    import requests
    import urllib3

    silent = error.args and isinstance(error.args[0], urllib3.exceptions.ReadTimeoutError)
    if silent or isinstance(error, requests.exceptions.Timeout):
        return "the server stopped answering"
    if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
        return "the connection broke off"
    response = getattr(error, "response", None)
    return "no connection" if response is None else f"the server answers {response.status_code}"


class _RefusedByServerError(Exception):
    """The server refuses the file for good."""


@dataclass(frozen=True)
class ResumingDownloader:
    """A downloader for Pooch that resumes from a ``.part`` file and shows progress.

    If the server ignores the requested range and sends the whole file, the ``.part`` file is overwritten; if it rejects
    the range, the ``.part`` file is deleted and the next attempt starts from the beginning.
    """

    part: Path
    size: int
    timeout: float
    console: Console | None = None

    def __call__(self, url: str, output_file: Any, _: Any, check_only: bool = False) -> bool | None:
        """Download ``url`` to ``output_file``."""
        import requests

        if check_only:
            return bool(requests.head(url, timeout=self.timeout).ok)
        self._complete(url)
        self.part.replace(output_file)
        return None

    def _complete(self, url: str) -> None:
        import requests

        done = self.part.stat().st_size if self.part.exists() else 0
        if done >= self.size:  # too long, or complete and wrong: a right one would have been renamed
            self.part.unlink()
            done = 0
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
        with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as response:
            if response.status_code == 416:
                with suppress(FileNotFoundError):
                    self.part.unlink()
            if response.status_code in _FINAL_STATUSES:
                raise _RefusedByServerError(response.status_code)
            response.raise_for_status()
            resumes = response.status_code == 206
            self._write(response, done if resumes else 0)
        if self.part.stat().st_size < self.size:
            raise requests.exceptions.ChunkedEncodingError("the connection broke off")

    def _write(self, response: Any, done: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        quiet = self.console is None or not self.console.is_terminal
        with (
            Progress(*columns, console=self.console, disable=quiet, transient=True) as progress,
            self.part.open("ab" if done else "wb") as out,
        ):
            task = progress.add_task(self.part.stem, total=self.size, completed=done)
            for chunk in response.iter_content(_CHUNK):
                out.write(chunk)
                progress.advance(task, len(chunk))
                done += len(chunk)
                if done > self.size:
                    break  # longer than it should be, which the digest will show


def _is_url(mirror: str) -> bool:
    return mirror.startswith(("http://", "https://"))


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of a file, or None if there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
