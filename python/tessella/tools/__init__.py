"""Looking at encodings."""

from .visualizer import Annotation, EncodingVisualizer

__all__ = ["Annotation", "EncodingVisualizer"]
