"""Denoising diffused embeddings: a likelihood of hyperlinks given embeddings, and a diffusion of the embeddings."""

from hyperhedge.models.dde.model import DDE

__all__ = ["DDE"]
