#!/bin/sh
# Runs every fuzz target (or those named) for SECONDS seconds: fuzz/run.sh SECONDS [TARGET...]
#
# Needs cargo-fuzz and a nightly toolchain. The crate has no unsafe code, so the address sanitizer stays off:
# it would only make everything slower.
set -eu
seconds=${1:-60}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")"
targets=${*:-load_json load_binary encode_equals_reference round_trip offsets_slice_back scanner_equals_engine}
cargo +nightly run --quiet --example seeds -- corpus
for target in $targets; do
    echo "== $target"
    cargo +nightly fuzz run --fuzz-dir . --sanitizer none "$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=4096 -print_final_stats=1
done
