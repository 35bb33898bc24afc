#!/bin/bash
# Builds the libFuzzer targets with addresses checked and runs each for a while, on what tests/fuzz/corpus holds and what
# was found before. What breaks is left in FOLDER/TARGET-crash-*.
#
#   tests/fuzz/soak.sh [MINUTES [TARGET...]]        30 minutes each, all targets, unless told otherwise
#
# FOLDER is build-fuzz/found; BUILD names another folder than build-fuzz.
set -euo pipefail
cd "$(dirname "$0")/../.."
minutes=${1:-30}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(readers imports saved calls)
build=${BUILD:-build-fuzz}

# The solver's kernels are one long function each, which clang would be many minutes over if every check were inline.
if [ ! -d "$build" ]; then
	CC=clang meson setup "$build" -Dfuzz=true -Dbuildtype=debugoptimized -Db_sanitize=address -Db_lundef=false \
		-Dc_args='-fsanitize=fuzzer-no-link -mllvm -asan-instrumentation-with-call-threshold=500'
fi
names=()
for target in "${targets[@]}"; do names+=("tests/fuzz/libfuzz_$target"); done
ninja -C "$build" "${names[@]}"
for target in "${targets[@]}"; do
	found=$build/found/$target
	mkdir -p "$found"
	"$build/tests/fuzz/libfuzz_$target" -max_total_time=$((minutes * 60)) -timeout=300 -rss_limit_mb=3000 \
		-artifact_prefix="$build/found/$target-" -print_final_stats=1 "$found" "tests/fuzz/corpus/$target"
done
