# What developers and CI run. `just` alone lists it.

set shell := ["bash", "-euo", "pipefail", "-c"]

default:
    @just --list --unsorted

# Build everything for release
build:
    cargo build --release --workspace

# Format and lint, as CI does
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

# Every test; arguments go to nextest: `just test probe`
test *ARGS:
    cargo nextest run --workspace --locked {{ ARGS }}

# Every scenario on every emulator that is there, built for release: `just e2e probe --require craftos-pc`
e2e *ARGS:
    cargo run --release --locked -p craftos-harness -- run {{ ARGS }}

# The official conformance suite and the real clients against the bridge
conformance:
    cargo build --locked -p mcp-bridge
    tests/conformance/run target/debug/mcp-bridge

# The figures of this machine
bench *ARGS:
    cargo bench --workspace --locked -- {{ ARGS }}

# All that CI runs
ci: check test conformance
