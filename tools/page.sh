#!/usr/bin/env bash
# tools/page.sh serve    the page at http://localhost:8080, rebuilt on every change
# tools/page.sh build    the page for any static host, in dist/
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$ROOT/tools/env.sh"
cd "$ROOT"
use_wasm_toolchain
# Trunk reads NO_COLOR as true or false and stops at the customary 1.
unset NO_COLOR

case "${1:-}" in
    serve)
        say "the page will be at http://localhost:${PORT:-8080} once it is built"
        # A server knows where it serves: relative addresses are for copies that may land anywhere.
        open=()
        if [ "$(uname)" = Darwin ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then open=(--open); fi
        # Not dist/, which may hold a release that is being tested or copied.
        mkdir -p target/serve
        exec trunk serve --dist target/serve --public-url / --port "${PORT:-8080}" ${open[@]+"${open[@]}"}
        ;;
    build)
        trunk build --release
        say "dist/: $(find dist -type f | wc -l) files, wasm $(cat dist/*.wasm | wc -c) bytes, $(cat dist/*.wasm | gzip -9 | wc -c) compressed"
        ;;
    *) fail "usage: tools/page.sh serve|build" ;;
esac
