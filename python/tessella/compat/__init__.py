"""Drop-in modules for code that was written for other libraries.

Change the import and keep the calls::

    import tessella.compat.sentencepiece as sentencepiece
"""

__all__: list[str] = []
