"""What the HIF standard asks of a document, as a JSON schema."""

_ID = {"type": ["string", "integer"]}


def _records(*required, **more):
    properties = {
        **dict.fromkeys(required, _ID),
        "weight": {"type": "number"},
        "attrs": {"type": "object"},
        **more,
    }
    return {
        "type": "array",
        "items": {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
    }


SCHEMA = {
    "type": "object",
    "properties": {
        "network-type": {"enum": ["undirected", "directed", "asc"]},
        "metadata": {"type": "object"},
        "incidences": _records("edge", "node", direction={"enum": ["head", "tail"]}),
        "nodes": _records("node"),
        "edges": _records("edge"),
    },
    "required": ["incidences"],
    "additionalProperties": False,
}
