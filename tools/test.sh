#!/usr/bin/env bash
# Everything that must hold before a change goes in, cheapest first; the first failure stops.
#
#   tools/test.sh                  all of it
#   tools/test.sh native wasm      only the named steps (see the list at the end)
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$ROOT/tools/env.sh"
cd "$ROOT"
# A run that starts from nothing gains nothing from incremental compilation, and pays for it.
if [ "${CI:-}" = true ]; then export CARGO_INCREMENTAL=0; fi

format() { cargo fmt --check; }

lint() {
    cargo clippy --locked --all-targets -- -D warnings
    cargo clippy --locked --all-targets --features cli -- -D warnings
}

# The engine and the terminal: unit tests, behaviour tests, the examples in the documentation.
native() { cargo test --locked --features cli; }

# The page as the browser's compiler sees it. Its tests come along, the engine's are linted natively.
lint_web() (
    use_wasm_toolchain
    cargo clippy --locked --target "$WASM_TARGET" --features web --lib --bin decodescope-web --test web -- -D warnings
)

# What only a browser can tell: each piece of src/web/platform, run in headless Chromium.
wasm() (
    use_wasm_toolchain
    find_browser || fail "Chromium is missing; run: make setup"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner
    # The defaults (20 s and 5 s) are for idle machines with more cores.
    export WASM_BINDGEN_TEST_TIMEOUT=120 WASM_BINDGEN_TEST_DRIVER_TIMEOUT=60
    cargo test --locked --target "$WASM_TARGET" --features web --test web
)

build() { tools/page.sh build; }

# The release page as a person meets it. Needs `build` to have run.
e2e() {
    find_browser || fail "Chromium is missing; run: make setup"
    [ -f dist/index.html ] || fail "there is no dist/ to test; run: make build"
    node --test --test-reporter=spec --test-concurrency=1 tests/e2e/*.test.mjs
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(format lint native lint_web wasm build e2e)
summary=
for step in "${steps[@]}"; do
    [ "$(type -t "$step")" = function ] || fail "no step called $step"
    printf '\n== %s\n' "$step"
    started=$SECONDS
    "$step"
    summary+=$(printf '%10s %4d s' "$step" $((SECONDS - started)))$'\n'
done
printf '\n== all passed\n%s' "$summary"
