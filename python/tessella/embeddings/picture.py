"""Vectors in two dimensions: the two directions in which they differ most, drawn as SVG.

Example:
    >>> import numpy as np
    >>> flat(np.array([[0.0, 0.0, 9.0], [2.0, 0.0, 9.0], [4.0, 1.0, 9.0]])).round(2).tolist()
    [[-2.02, -0.17], [-0.08, 0.32], [2.1, -0.15]]
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from .._shown import visible


def flat(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Principal components: positions along the two directions of largest spread, around 0.

    Of either direction the side is chosen on which the farthest vector lies, so that the result does not
    depend on the machine.
    """
    centred = vectors.astype(np.float64)
    if len(centred):
        centred -= centred.mean(axis=0)
    places = np.zeros((len(vectors), 2))
    if centred.size:
        left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        found = (left * sizes)[:, :2]
        signs = np.sign(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])])
        places[:, : found.shape[1]] = found * np.where(signs == 0, 1.0, signs)
    return places


def draw(keys: Sequence[Hashable], vectors: npt.NDArray[np.floating], width: int = 800) -> str:
    """A picture with a dot and a name for each key."""
    height, margin = width * 3 // 4, width // 12
    places = flat(vectors)
    low = places.min(axis=0) if len(places) else np.zeros(2)
    span = np.maximum(places.max(axis=0) - low, 1e-12) if len(places) else np.ones(2)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="{max(9, width // 66)}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for key, place in zip(keys, places, strict=True):
        share = (place - low) / span
        x = margin + share[0] * (width - 2 * margin)
        # Pictures count downwards.
        y = height - margin - share[1] * (height - 2 * margin)
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#2f6f8f"/>')
        lines.append(
            f'<text x="{x + 5:.1f}" y="{y - 4:.1f}" fill="#333333">{escape(visible(str(key)))}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])
