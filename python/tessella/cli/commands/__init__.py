"""The commands, one for each file here.

A file ``name.py`` is the command ``name`` (an underscore in a file's name is a dash in the command's). It has

- a docstring, whose first line is the summary in ``tessella --help``, and whose rest is shown by
  ``tessella name --help``; its lines that begin with ``$ tessella`` are examples, which the tests run
- ``arguments(parser)``, which adds arguments to an ``argparse.ArgumentParser``
- ``run(options)``, which does the work and gives the exit status

Files whose names begin with an underscore are no commands. What is slow to import is imported in ``run``.
"""
