# Everything starts here. The work is in tools/, one script per purpose.
.PHONY: help setup serve build test bench validate clean

help:
	@echo 'make serve      set up what the page needs, then show it at http://localhost:8080 (PORT=… for another port)'
	@echo 'make build      the page for any static host, in dist/'
	@echo 'make test       all checks: format, lint, native, in the browser, end to end'
	@echo 'make setup      install everything that these need; quick when nothing is to do'
	@echo 'make bench      measure the engine'
	@echo 'make validate   hold predicted against measured steps, and write docs/validation.md'
	@echo 'make clean      remove what was built'

setup:
	@tools/setup.sh

serve:
	@tools/setup.sh page
	@tools/page.sh serve

build:
	@tools/setup.sh page
	@tools/page.sh build

# One step alone: make test STEPS='native e2e'
test:
	@tools/setup.sh
	@tools/test.sh $(STEPS)

bench:
	@tools/setup.sh page
	@tools/bench.sh $(FILES)

validate:
	@cargo run --release --quiet --example validate

clean:
	@cargo clean
	@rm -rf dist tests/e2e/output
