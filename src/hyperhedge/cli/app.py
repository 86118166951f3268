"""The frame of the command line: the application itself, how errors are shown, and how it exits."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from hyperhedge import __version__
from hyperhedge._system.memory import available, size_text
from hyperhedge.cli._launch import end_with_parent, report_to_parent
from hyperhedge.errors import DataLossWarning, DataWarning, HyperhedgeError

# Typer brings its own copy of click: this is the base of its errors, wherever it lives.
_UsageError: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="hyperhedge",
    help="Learn from hypergraphs and generate realistic new ones.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hyperhedge {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Learn from hypergraphs and generate realistic new ones."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def _note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    if issubclass(category, DataLossWarning | DataWarning):
        typer.echo(f"Note: {message}", err=True)


def _show_notes() -> None:
    """Print warnings about data as notes, each time, and no others."""
    for category in (DataLossWarning, DataWarning):
        warnings.simplefilter("always", category)
    warnings.showwarning = _note


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    _show_notes()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        end_with_parent()
        code = app(arguments, prog_name="hyperhedge", standalone_mode=False, obj=arguments)
    except _UsageError as error:
        code = _fail(f"{error.format_message().rstrip('.')}. Try 'hyperhedge --help'.")
    except HyperhedgeError as error:
        code = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        code = _fail(f"{name}{(error.strerror or str(error)).lower()}")
    except Exception as error:
        explained = _explained(error)
        if explained is None:
            raise
        sys.exit(explained)
    code = code if isinstance(code, int) else 0
    if code != 2:  # which _fail has reported, with the message
        report_to_parent(code)
    sys.exit(code)


def _explained(error: Exception) -> int | None:
    """Report an error that was not foreseen and return the exit code; None for a bug that nobody was told about."""
    too_much = _too_much(error)
    if too_much is not None:
        return _fail(too_much)
    return 1 if report_to_parent(1, f"{type(error).__name__}: {error}") else None


_ALLOCATION = re.compile(
    "unable to allocate|can't allocate memory|out of memory|storage size calculation overflowed|array is too big"
    "|maximum allowed dimension|maximum allowed size|can't start new thread|negative dimensions",
    re.IGNORECASE,
)
_SIZE = re.compile(r"allocate ((?P<bytes>\d+) bytes|[\d.]+ [KMGTPE]iB)", re.IGNORECASE)


def _too_much(error: Exception) -> str | None:
    """Explain an error that comes from asking for too much and was not foreseen; None for any other, which is a bug."""
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; give a flatter one"
    if isinstance(error, OverflowError):
        return f"a number is too large to compute with ({error}); give a smaller one"
    text = str(error)
    if not (
        isinstance(error, MemoryError) or (isinstance(error, RuntimeError | ValueError) and _ALLOCATION.search(text))
    ):
        return "a number is too large to compute with; give a smaller one" if _is_overflow(error) else None
    size = _SIZE.search(text)
    wanted = "" if size is None else f" of {size_text(int(size['bytes'])) if size['bytes'] else size[1]}"
    return (
        f"there is not enough memory: an allocation{wanted} failed ({size_text(available())} are available); ask for less, such "
        "as a smaller count, shape, batch or network"
    )


def _is_overflow(error: Exception) -> bool:
    """Tell torch's and numpy's errors about whole numbers that do not fit into 64 bits."""
    return isinstance(error, RuntimeError | TypeError | ValueError) and bool(
        re.search(
            "overflow when unpacking|without overflow|int too large|out of range for int64", str(error), re.IGNORECASE
        )
    )


def _fail(message: str) -> int:
    """Print an error as one line, or let the parent process print it; return the exit code of bad usage or input."""
    line = " ".join(message.split())
    if not report_to_parent(2, line):
        typer.echo(f"Error: {line}", err=True)
    return 2
