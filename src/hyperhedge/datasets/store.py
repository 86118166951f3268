"""Where the bytes of a dataset come from: a mirror, the cache, or upstream.

A file is named by its place in a mirror, ``Repository/path/in/it``, and pinned by its upstream commit and its
SHA-256. It is looked for

1. in the mirror that the environment variable ``HYPERHEDGE_DATA`` names, and only there if it is set: a folder,
   or the address of a web server (``http://…``) that serves such a folder, through the cache;
2. in the cache: ``HYPERHEDGE_CACHE``, or the platform's folder for caches;
3. upstream, from where it is downloaded into the cache.

Every file is checked against its SHA-256 each time it is used. A download goes to a ``.part`` file beside its
target, which an interrupted or broken download leaves for the next one to go on from, and which takes its name
only if the whole is what it should be. A lock makes two processes that want the same file take turns.

`Pooch <https://www.fatiando.org/pooch>`_ keeps the cache, checks and retries; what it has not, resuming and
:mod:`rich`'s progress bar, is added by :class:`ResumingDownloader`.
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

from hyperhedge.errors import HyperhedgeError

__all__ = ["DataError", "RemoteFile", "ResumingDownloader", "Store"]

MIRROR_VARIABLE = "HYPERHEDGE_DATA"
CACHE_VARIABLE = "HYPERHEDGE_CACHE"
_CHUNK = 1 << 14
_ATTEMPTS = 3
_FINAL_ANSWERS = {400, 401, 403, 404, 405, 410, 451}


class DataError(HyperhedgeError):
    """The files of a dataset cannot be had, or are not what they should be."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of a public repository at one commit.

    Attributes
    ----------
    repository
        ``owner/name`` on GitHub.
    commit
        The commit, 40 hex digits.
    path
        The path inside the repository.
    sha256
        The digest of its bytes.
    size
        Their number.
    """

    repository: str
    commit: str
    path: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """The file's place in a mirror and in the cache."""
        return f"{self.repository.partition('/')[2]}/{self.path}"

    @property
    def url(self) -> str:
        """Where upstream publishes it."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class Store:
    """The place that files are read from, and downloaded to if need be.

    Attributes
    ----------
    mirror
        A folder, or the address of one, that is used instead of upstream.
    cache
        The folder of downloaded files.
    timeout
        Seconds without a byte after which a connection is given up.
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
        """Return where a file is on this machine, or None if it is not (or not as it should be)."""
        path = self._mirrored(file) or self.folder / file.name
        return path if _digest(path) == file.sha256 else None

    def fetch(self, files: Iterable[RemoteFile]) -> list[Path]:
        """Return the files' paths; download those that are not here."""
        return [self._fetch(file) for file in files]

    def read(self, file: RemoteFile) -> bytes:
        """Return a file's bytes, checked."""
        data = self._fetch(file).read_bytes()
        if hashlib.sha256(data).hexdigest() != file.sha256:  # it changed since it was checked
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
                f"{mirrored}: no such file in the mirror that {MIRROR_VARIABLE} names; put the file of {file.url} there, "
                f"or unset {MIRROR_VARIABLE} to download it"
            )
        if _digest(mirrored) != file.sha256:
            raise DataError(
                f"{mirrored}: this is not the file of {file.url} (its SHA-256 differs from {file.sha256}); replace it"
            )
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
                f"{url} does not give the file it should (its SHA-256 is not {file.sha256}); nothing was kept, try again later"
            ) from None
        except OSError as error:
            raise DataError(
                f"{error.filename or self.folder}: {(error.strerror or str(error)).lower()}; set {CACHE_VARIABLE} to a folder "
                "that can be written"
            ) from None


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Leave Pooch's messages out for a while: the progress bar and our errors say the same."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _unreachable(file: RemoteFile, url: str, why: str) -> str:
    """Say in one sentence why a file was not downloaded, and how to get it."""
    return (
        f"{file.name} is not on this machine and cannot be downloaded from {url} ({why}); connect and run 'hyperhedge data fetch' "
        f"again, or set {MIRROR_VARIABLE} to a folder that holds {file.name}"
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
    """The server will not give the file, however often it is asked."""


@dataclass(frozen=True)
class ResumingDownloader:
    """A downloader for Pooch that goes on from a ``.part`` file and shows progress.

    The server may ignore the request to go on (it sends the whole, and the part is overwritten), or find the
    part too long (it is dropped, and the download starts again).
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
        if done >= self.size:  # too long, or as long and wrong: the right one would not be a part any more
            self.part.unlink()
            done = 0
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
        with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as response:
            if response.status_code == 416:
                with suppress(FileNotFoundError):
                    self.part.unlink()
            if response.status_code in _FINAL_ANSWERS:
                raise _RefusedByServerError(response.status_code)
            response.raise_for_status()
            goes_on = response.status_code == 206
            self._write(response, done if goes_on else 0)
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
                    break  # more than there should be: the digest will tell


def _is_url(mirror: str) -> bool:
    return mirror.startswith(("http://", "https://"))


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of a file, or None if there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
