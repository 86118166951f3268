"""The configuration model of hypergraphs: every degree and every hyperedge size kept."""

from hyperhedge.models.configuration.model import ConfigurationModel, shuffle

__all__ = ["ConfigurationModel", "shuffle"]
