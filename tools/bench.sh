#!/usr/bin/env bash
# tools/bench.sh [FILE…]: the reader of Prometheus text beside its peers, native and in WebAssembly, in one run.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$ROOT/tools/env.sh"
target="${CARGO_TARGET_DIR:-$ROOT/target}"

# The page's own profile, so that it is the page's speed; in a subshell, since native code wants the default toolchain.
(
    cd "$ROOT"
    use_wasm_toolchain
    cargo build --quiet --locked --profile page --example parse_wasm --target "$WASM_TARGET"
)
export DECODESCOPE_WASM="$target/$WASM_TARGET/page/examples/parse_wasm.wasm"
if command -v npm >/dev/null; then
    npm ci --silent --no-audit --no-fund --prefix "$ROOT/benches/parse" || say "the npm peer cannot be had; it is left out"
fi
for program in decodescope-bench-parse memory; do
    cargo run --release --locked --quiet --manifest-path "$ROOT/benches/parse/Cargo.toml" --bin "$program" -- "$@"
done
