"""Vectors of tokens, learned from sequences.

Tokens that stand among the same neighbours get similar vectors. Sequences may hold anything that can be a
key of a dictionary: tokens, ids, songs in playlists. Learning needs ``gensim``; everything
else, loading and asking included, does not.

Layers: ``vectors`` holds and compares, ``training`` learns, ``files`` reads and writes, ``picture`` draws.

Example:
    >>> from tessella.embeddings import Vectors
    >>> vectors = Vectors(["sun", "moon", "car"], [[1.0, 0.2], [0.9, 0.3], [-0.1, 1.0]])
    >>> [(key, round(similarity, 3)) for key, similarity in vectors.most_similar("sun", n=1)]
    [('moon', 0.992)]
"""

from __future__ import annotations

from .files import load_vectors
from .training import train_vectors
from .vectors import Vectors

__all__ = ["Vectors", "load_vectors", "train_vectors"]
