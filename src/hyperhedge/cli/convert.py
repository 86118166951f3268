"""``convert``: from one file format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperhedge.cli._inputs import read_as_stored, standard_stream
from hyperhedge.cli._options import EdgeColumn, NodeColumn, format_option
from hyperhedge.cli._outputs import describe
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.io.formats import find_format, write, write_collection


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - for standard output.")],
    *,
    source_format: Annotated[str | None, format_option("--from", "IN")] = None,
    target_format: Annotated[str | None, format_option("--to", "OUT")] = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Convert a hypergraph, or a collection, from one format to another.

    File names tell the formats; [bold].gz[/bold] packs and unpacks. OUT is written
    completely or not at all.

    Example: [bold]hyperhedge convert papers.csv papers.hif.json.gz[/bold]
    """
    content = read_as_stored(source, source_format, node_column, edge_column)
    path = standard_stream(target, "/dev/stdout", target_format, "--to")
    holds_many = find_format(path, target_format).holds_many
    if isinstance(content, Hypergraph) and not holds_many:
        write(content, path, format=target_format)
    else:
        write_collection([content] if isinstance(content, Hypergraph) else content, path, format=target_format)
    typer.echo(f"{source} → {target} ({describe(content)})", err=True)
