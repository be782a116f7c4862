#!/usr/bin/env bash
# From an empty machine to everything this project needs.
#
#   tools/setup.sh page    what building and serving the page takes: Rust for the browser, Trunk, wasm-bindgen
#   tools/setup.sh         that, and what the tests take: Node.js, Chromium and its driver
#
# Safe to run again at any time: each step looks first and does nothing when nothing is to do. Packages are installed
# with apt-get where there is one (as root or through sudo); elsewhere you are told what to install.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$ROOT/tools/env.sh"
mkdir -p "$TOOLS_CACHE"
LOG="$TOOLS_CACHE/setup.log"
: >"$LOG"

# doing TEXT COMMAND…: say what takes long, run it with its output in the log, show the log's end if it fails.
doing() {
    local text="$1" started=$SECONDS
    shift
    printf '  %s… ' "$text"
    if "$@" >>"$LOG" 2>&1; then
        say "done ($((SECONDS - started)) s)"
    else
        say "failed"
        return 1
    fi
}

# needed TEXT: stop with what a person has to do.
needed() {
    tail -n 15 "$LOG" >&2
    fail "$*
The whole log: $LOG"
}

apt_install() {
    command -v apt-get >/dev/null || { echo "no apt-get here" >>"$LOG"; return 1; }
    local sudo=
    if [ "$(id -u)" != 0 ]; then
        sudo=$(command -v sudo) || { echo "neither root nor sudo" >>"$LOG"; return 1; }
    fi
    local install=($sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
    # A new machine has no package lists, an old one lists of packages that are gone.
    doing "installing $*" "${install[@]}" || { doing "updating the package lists" $sudo apt-get update && doing "installing $* again" "${install[@]}"; }
}

# at_least WANTED FOUND: compare dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

version_of() { { "$@" --version 2>/dev/null || true; } | sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p'; }

rust() {
    local wanted
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$ROOT/Cargo.toml")
    if ! command -v cargo >/dev/null; then
        apt_install cargo-web rustc-web rust-web-clippy rustfmt-web gcc libc6-dev ||
            needed "Rust is missing. Install rustc $wanted or newer with rustup, clippy and rustfmt included, then run this again."
    fi
    at_least "$wanted" "$(version_of rustc)" ||
        needed "rustc $(version_of rustc) is too old: this project needs $wanted. Try: rustup update stable"
    command -v cc >/dev/null || apt_install gcc libc6-dev ||
        needed "a C compiler is missing (cc): Rust links with it. Install gcc or clang."
    say "rust: $(rustc --version)"
}

# rustup's minimal profile comes without them.
linters() {
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        { command -v rustup >/dev/null && doing "rustup component add rustfmt clippy" rustup component add rustfmt clippy; } ||
            apt_install rustfmt-web rust-web-clippy ||
            needed "rustfmt or clippy is missing: the checks run both. Try: rustup component add rustfmt clippy"
    fi
}

# The standard library for the browser: rustup's if it can be had, else built once from the distribution's sources.
wasm() {
    if ! default_rust_has_wasm && ! distribution_rust_has_wasm; then
        if command -v rustup >/dev/null && doing "rustup target add $WASM_TARGET" timeout 120 rustup target add "$WASM_TARGET"; then
            :
        else
            build_wasm_library || needed "Rust cannot build for the browser here.
Either: rustup target add $WASM_TARGET
Or, on Debian: apt-get install rustc-web cargo-web rust-web-src rust-web-clippy lld"
        fi
    fi
    if default_rust_has_wasm; then
        say "rust for the browser: with the default toolchain"
    else
        say "rust for the browser: the distribution's, $(cat "$RUST_DIR/version")"
    fi
}

# Debian has a current rustc (the packages that its browsers are built with) and the library's sources, but no
# library for the browser. Build that once into a sysroot of its own; from then on `cargo build --target` is all.
build_wasm_library() {
    if ! [ -x /usr/bin/rustc ] || ! [ -x /usr/bin/cargo-clippy ] || ! [ -d /usr/lib/rustlib/src/rust/library ]; then
        apt_install cargo-web rustc-web rust-web-src rust-web-clippy || return 1
    fi
    local linker tool
    # rustup ships the linker inside the toolchain, Debian as a package that must be of LLVM's version or newer.
    linker=$(compgen -G "$(rustc --print sysroot)/lib/rustlib/*/bin/rust-lld" | head -n 1) || true
    if [ -z "$linker" ]; then
        local llvm
        llvm=$(/usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
        first "wasm-ld-$llvm" >/dev/null || apt_install "lld-$llvm" || return 1
        linker=$(first "wasm-ld-$llvm")
    fi

    rm -rf "$RUST_DIR"
    mkdir -p "$RUST_DIR/bin" "$RUST_DIR/sysroot/lib/rustlib/$WASM_TARGET/lib" "$RUST_DIR/build/src"
    for tool in cargo rustc rustdoc cargo-clippy clippy-driver; do ln -s "/usr/bin/$tool" "$RUST_DIR/bin/$tool"; done
    ln -s "$linker" "$RUST_DIR/bin/rust-lld"
    touch "$RUST_DIR/build/src/lib.rs"
    printf '[package]\nname = "nothing"\nedition = "2024"\n[workspace]\n[profile.release]\npanic = "abort"\ncodegen-units = 1\n' >"$RUST_DIR/build/Cargo.toml"

    # RUSTC_BOOTSTRAP lets a stable compiler take -Z; it stays inside this one command. Bitcode is for our LTO.
    doing "building Rust's standard library for the browser" \
        env PATH="$RUST_DIR/bin:$PATH" RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Cembed-bitcode=yes" \
        cargo build --release --manifest-path "$RUST_DIR/build/Cargo.toml" --target-dir "$RUST_DIR/build/target" \
        --target "$WASM_TARGET" -Z build-std=std,panic_abort,test || return 1
    cp "$RUST_DIR/build/target/$WASM_TARGET/release/deps/"*.rlib "$RUST_DIR/sysroot/lib/rustlib/$WASM_TARGET/lib/"
    rm -rf "$RUST_DIR/build" "$RUST_DIR/sysroot/lib/rustlib/$WASM_TARGET/lib/"libnothing-*
    "$RUST_DIR/bin/rustc" --version >"$RUST_DIR/version"
}

# cargo_tool NAME VERSION FOLDER [OPTION…]: compile a command into a folder of the cache. It runs for a second per
# build of ours, so compiling it fast beats compiling it well.
cargo_tool() {
    local name="$1" version="$2" folder="$3"
    shift 3
    doing "compiling $name $version (once, some minutes)" \
        env CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        CARGO_PROFILE_RELEASE_DEBUG=0 \
        cargo install "$name" --version "=$version" --root "$folder" --target-dir "$TOOLS_CACHE/compile" "$@" ||
        needed "could not compile $name $version. Install it by hand: cargo install $name --version $version $*"
}

trunk_tool() {
    local found
    found=$(version_of trunk)
    if ! { [ -n "$found" ] && at_least "$TRUNK_VERSION" "$found" && ! at_least 0.23 "$found"; }; then
        cargo_tool trunk "$TRUNK_VERSION" "$TRUNK_DIR" --locked
    fi
    say "trunk: $(version_of trunk)"
}

wasm_bindgen_tool() {
    if [ "$(version_of wasm-bindgen)" != "$WASM_BINDGEN_VERSION" ] ||
        [ "$(version_of wasm-bindgen-test-runner)" != "$WASM_BINDGEN_VERSION" ]; then
        cargo_tool wasm-bindgen-cli "$WASM_BINDGEN_VERSION" "$WASM_BINDGEN_DIR"
    fi
    say "wasm-bindgen: $WASM_BINDGEN_VERSION"
}

# Optional: without it the page is a little larger.
wasm_opt_tool() {
    if ! [ -x "$BINARYEN_DIR/node_modules/.bin/wasm-opt" ] && command -v npm >/dev/null; then
        mkdir -p "$BINARYEN_DIR"
        doing "fetching binaryen $BINARYEN_VERSION" npm install --prefix "$BINARYEN_DIR" --no-save --no-audit --no-fund \
            "binaryen@$BINARYEN_VERSION" || rm -rf "$BINARYEN_DIR"
    fi
    say "wasm-opt: $(version_of wasm-opt | sed 's/^0$/none, the page will be larger/')"
}

node_tools() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        apt_install nodejs npm || needed "Node.js is missing: the end-to-end tests run on it. Install version 20 or newer, npm included."
    fi
    at_least 20 "$(version_of node)" || needed "Node.js $(version_of node) is too old: the end-to-end tests need 20 or newer."
    local folder="$ROOT/tests/e2e"
    if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.lock-installed"; then
        doing "installing the end-to-end tests' packages" npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund ||
            needed "npm could not install the packages of tests/e2e."
        cp "$folder/package-lock.json" "$folder/node_modules/.lock-installed"
    fi
    say "node: $(version_of node)"
}

browser() {
    if ! find_browser; then
        unset CHROMIUM CHROMEDRIVER
        apt_install chromium chromium-driver fonts-liberation && find_browser ||
            needed "Chromium or its driver is missing: the tests run in it. Install both, of the same version,
or set CHROMIUM and CHROMEDRIVER to their paths."
    fi
    local major driver
    major=$(version_of "$CHROMIUM") driver=$(version_of "$CHROMEDRIVER")
    [ "${major%%.*}" = "${driver%%.*}" ] || needed "Chromium $major and its driver $driver differ: the driver must be of the browser's version."
    say "chromium: $major"
}

case "${1:-all}" in
    page) steps=(rust wasm trunk_tool wasm_bindgen_tool wasm_opt_tool) ;;
    all) steps=(rust linters wasm trunk_tool wasm_bindgen_tool node_tools wasm_opt_tool browser) ;;
    *) fail "usage: tools/setup.sh [page|all]" ;;
esac
for step in "${steps[@]}"; do "$step"; done
rm -rf "$TOOLS_CACHE/compile"
