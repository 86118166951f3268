"""Hyperedge copying: every hyperedge is a noisy copy of an earlier one."""

from hyperhedge.models.copying.model import HyperedgeCopying

__all__ = ["HyperedgeCopying"]
