"""The reference library's release to come, from a folder of its own: both cannot be imported by one name."""

from benchmarks.engines.common import run
from benchmarks.engines.tokenizers_engine import load

if __name__ == "__main__":
    run(load)
