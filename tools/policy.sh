#!/bin/sh
# Run by Trunk after each build: writes the Content-Security-Policy into a release page.
#
# Only there, since the development server needs an inline script to reload the page, which this policy forbids.
set -eu
[ "$TRUNK_PROFILE" = release ] || exit 0
page="$TRUNK_STAGING_DIR/index.html"
if grep -q '<script>' "$page"; then exit 0; fi

# Everything is forbidden unless a line below allows it. `self` is wherever the page was copied to.
policy=
allow() { policy="$policy${policy:+; }$*"; }
allow "default-src 'none'"
# Our own files, and compiling WebAssembly, which counts as evaluating code; evaluating JavaScript stays forbidden.
allow "script-src 'self' 'wasm-unsafe-eval'"
# Style sheets as files. No style attribute in the markup; setting single properties from code is not affected.
allow "style-src 'self'"
# Our own images, and the ones the page makes itself: charts on their way to a file (blob:) and small icons (data:).
allow "img-src 'self' data: blob:"
allow "font-src 'self'"
# The promise that nothing pasted leaves the browser, kept by the browser: the page cannot speak to any other host.
allow "connect-src 'self'"
allow "manifest-src 'self'"
# Injected markup can neither redirect our relative addresses nor send a form nor start a plugin.
allow "base-uri 'self'"
allow "form-action 'none'"
allow "object-src 'none'"

# The policy holds for what follows it, so it must come first in the head.
sed -i.bak "s|<meta name=\"policy\">|<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" "$page"
rm "$page.bak"
grep -q Content-Security-Policy "$page" || { echo "policy.sh: index.html has lost its policy placeholder" >&2; exit 1; }
