# Where the tools are. Every other script here sources this file; nothing else decides about paths.
#
# Tools that are built or fetched for this project live outside the checkout, in one folder shared by all
# checkouts and named by version, so that nothing of yours is replaced. Delete the folder to start afresh.
TOOLS_CACHE="${DECODESCOPE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/decodescope}"
WASM_TARGET=wasm32-unknown-unknown

# Trunk 0.22 wants a newer rustc than this package's rust-version.
TRUNK_VERSION=0.21.14
# wasm-opt: older releases (Debian's 108 among them) exit 0 and write a module that no longer starts.
BINARYEN_VERSION=132.0.0
# The command and the crate must be of the very same version, so Cargo.lock decides.
WASM_BINDGEN_VERSION=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' "$ROOT/Cargo.lock")

RUST_DIR="$TOOLS_CACHE/rust-$WASM_TARGET"
TRUNK_DIR="$TOOLS_CACHE/trunk-$TRUNK_VERSION"
WASM_BINDGEN_DIR="$TOOLS_CACHE/wasm-bindgen-$WASM_BINDGEN_VERSION"
BINARYEN_DIR="$TOOLS_CACHE/binaryen-$BINARYEN_VERSION"

# Where `cargo install` puts things. It must be on PATH to keep its place there: cargo looks for commands such as
# clippy in it first when it is not.
cargo_bin="${CARGO_HOME:-$HOME/.cargo}/bin"
case ":$PATH:" in *":$cargo_bin:"*) ;; *) PATH="$cargo_bin:$PATH" ;; esac
# tools/bin holds our wasm-opt, which must come before any other: Trunk runs the first one on PATH.
PATH="$ROOT/tools/bin:$TRUNK_DIR/bin:$WASM_BINDGEN_DIR/bin:$PATH"
export PATH BINARYEN_DIR

# Reproducible on any machine, and without the colours that a log file cannot show.
export CARGO_TERM_PROGRESS_WHEN="${CARGO_TERM_PROGRESS_WHEN:-never}"

say() { printf '%s\n' "$*"; }
fail() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# first NAME…: the path of the first command that exists.
first() {
    local name
    for name in "$@"; do command -v "$name" 2>/dev/null && return; done
    return 1
}

# Does the default toolchain come with the standard library for the browser?
default_rust_has_wasm() {
    local libraries
    libraries=$(rustc --print target-libdir --target "$WASM_TARGET" 2>/dev/null) &&
        compgen -G "$libraries/libstd-*.rlib" >/dev/null
}

# Was one built for the distribution's toolchain, and does it still belong to it?
distribution_rust_has_wasm() {
    [ -x "$RUST_DIR/bin/rustc" ] && [ "$(cat "$RUST_DIR/version" 2>/dev/null)" = "$("$RUST_DIR/bin/rustc" --version)" ]
}

# Make `cargo`, `rustc` and `cargo clippy` able to build for the browser. Called by the steps that do.
use_wasm_toolchain() {
    if default_rust_has_wasm; then return; fi
    distribution_rust_has_wasm || fail "Rust cannot build for $WASM_TARGET yet; run: make setup"
    export PATH="$ROOT/tools/bin:$RUST_DIR/bin:$PATH"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$RUST_DIR/bin/rust-lld"
    # Only what is compiled for the browser sees this sysroot; build scripts and macros keep the compiler's own.
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--sysroot=$RUST_DIR/sysroot -Ctarget-feature=+simd128"
}

# Chromium and its driver, for the tests alone. CHROMIUM and CHROMEDRIVER override what is found.
find_browser() {
    CHROMIUM="${CHROMIUM:-$(first chromium chromium-browser google-chrome google-chrome-stable || true)}"
    CHROMEDRIVER="${CHROMEDRIVER:-$(first chromedriver || true)}"
    export CHROMIUM CHROMEDRIVER
    [ -n "$CHROMIUM" ] && [ -n "$CHROMEDRIVER" ]
}
