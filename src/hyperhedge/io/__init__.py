"""Files of hypergraphs: HIF JSON, hyperedge lists, bipartite tables and NumPy archives."""

from hyperhedge.io.formats import FORMATS, read, read_collection, write, write_collection

__all__ = ["FORMATS", "read", "read_collection", "write", "write_collection"]
