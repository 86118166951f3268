"""The commands that pages show: taken from their blocks, run in this process, or only parsed."""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from dataclasses import dataclass

import typer

from hyperhedge.cli import app, main
from hyperhedge.models.base import make_model

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`(hyperhedge [^`]+)`(?!`)")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Command:
    """A command as a page shows it, with the output below it."""

    text: str
    shown: str = ""

    @property
    def arguments(self):
        """What follows `hyperhedge`, up to a pipe: `cat x.tsv | hyperhedge convert - - | less`."""
        words = shlex.split(self.text, comments=True)
        arguments = words[words.index("hyperhedge") + 1 :]
        return arguments[: arguments.index("|")] if "|" in arguments else arguments

    def printed_what_is_shown(self, printed):
        return doctest.OutputChecker().check_output(self.shown, printed, _FLAGS)


def blocks(page, language):
    """Return the contents of a page's blocks in a language."""
    return [text for marked, text in _BLOCK.findall(page.read_text()) if marked == language]


def console_commands(page):
    """Go through the commands of a page's console blocks, each with the output that it shows."""
    for block in blocks(page, "console"):
        for shown in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            yield Command(*shown.partition("\n")[::2])


def shell_commands(page):
    """Go through our commands in a page's sh blocks, which are not run because they need hours, a GPU or a cluster."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if re.search(r"(^|\s)hyperhedge\s", line.partition("#")[0]):
                yield Command(line)


def mentioned_commands(page):
    """Return the commands that a page's sentences mention, such as `hyperhedge data fetch NAME`."""
    return [Command(" ".join(text.split())) for text in _SPAN.findall(page.read_text())]


# -- run -----------------------------------------------------------------------------------------------


def run_here(arguments):
    """Run a command in this process; return its exit code, and output and errors as a terminal would show them."""
    printed, code = io.StringIO(), None
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(action="default"),
    ):
        try:
            main(list(arguments))
        except SystemExit as end:
            code = end.code
    return code, printed.getvalue()


def run_in_a_process(arguments):
    """Run a command as a shell does; return what :func:`run_here` returns."""
    done = subprocess.run(
        [sys.executable, "-m", "hyperhedge", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    return done.returncode, done.stdout


# -- parse ---------------------------------------------------------------------------------------------


def parse(arguments):
    """Parse a command without running it: raise if command, options, values or a model's arguments do not exist."""
    command = typer.main.get_command(app)
    context = command.make_context("hyperhedge", list(arguments))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    if context.info_name == "fit":
        make_model(context.params["model"], **dict(context.params["options"] or []))
    return context


def unknown_words(arguments):
    """Return the command words and options of a mention that the command line does not have."""
    command, names = typer.main.get_command(app), list(arguments)
    while hasattr(command, "commands") and names and not names[0].startswith("-"):
        if names[0] not in command.commands:
            return names[:1]
        command = command.commands[names.pop(0)]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    options = [word.partition("=")[0] for word in names if re.match(r"--?[a-z]", word)]
    return [option for option in options if option not in known | {"--help", "-h"}]
