#!/bin/sh
# Runs every fuzz target (or those named) for SECONDS seconds: fuzz/run.sh SECONDS [TARGET...]
#
# Needs cargo-fuzz and a nightly toolchain. The address sanitizer watches the rooms with unsafe code (docs/architecture.md). Leaks are
# not looked for: what the C library notes of a thread that is just ending is taken for one. What is fast for many texts only
# is asked for at once, for a fuzzer's texts are small; TESSELLA_LANES=off compares the plain ways.
set -eu
export TESSELLA_LANES="${TESSELLA_LANES:-at-once}"
seconds=${1:-60}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")"
targets=${*:-$(cd fuzz_targets && printf '%s\n' *.rs | sed 's/\.rs$//')}
cargo +nightly run --quiet --example seeds -- corpus
for target in $targets; do
    echo "== $target"
    cargo +nightly fuzz run --fuzz-dir . --sanitizer address --no-trace-compares "$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=4096 -detect_leaks=0 -print_final_stats=1
done
