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
    # Without encryption the emulator needs no C compiler.
    test -z "$(cargo tree --locked --package embedded-craftos --no-default-features --edges normal,build --prefix none | grep '^cc v')"
    # The machine and the emulator's library are for WebAssembly too. Not every toolchain has that target.
    if [[ -d $(rustc --print target-libdir --target wasm32-unknown-unknown) ]]; then cargo check --locked --target wasm32-unknown-unknown --lib --no-default-features --package craftos-lua --package embedded-craftos; else echo "not checked for WebAssembly: rustup target add wasm32-unknown-unknown"; fi
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
    luacheck --quiet lua harness/computers harness/specs harness/src/commands/kill_everywhere harness/emulator/benches/programs craftos-fixtures/example craftos-fixtures/kill-everywhere
    cd harness/emulator/rom && luacheck --quiet .
    stylua --check lua harness/computers harness/specs harness/src/commands/kill_everywhere harness/emulator/benches/programs craftos-fixtures/example craftos-fixtures/kill-everywhere
    .github/lint/run

# Every test; arguments go to nextest: `just test probe`
test *ARGS:
    cargo nextest run --workspace --locked {{ ARGS }}

# Every scenario on every emulator that is there, built to be quick: `just e2e probe --require craftos-pc`
e2e *ARGS:
    cargo build --profile quick --locked --workspace --bin craftos-harness
    target/quick/craftos-harness run {{ ARGS }}

# All of the workspace is built at once, as the tests build it: with one package alone the features of its dependencies differ, and
# they would all be built again.

# The Lua specs on every emulator that is there, and as in an old game; arguments go to `test`: `just lua-test json`
lua-test *ARGS:
    cargo build --locked --workspace
    target/debug/craftos-harness test {{ ARGS }}
    target/debug/craftos-harness test --emulator embedded --profile game --before lua/spec/old_game.lua {{ ARGS }}

# CC:Tweaked's own tests from a checkout outside the project: `just cct-suite DIR [EMULATOR...]`
cct-suite DIR *EMULATORS:
    cargo build --profile quick --locked --workspace --bin embedded-craftos
    harness/emulator/tests/cct-suite {{ DIR }} target/quick/embedded-craftos {{ EMULATORS }}

# Public tests of Lua on the Lua machine, from checkouts outside the project: `just lua-suite lua DIR`, `just lua-suite cobalt DIR`
lua-suite SUITE DIR:
    cargo run --release --locked --package craftos-lua --example suite -- {{ SUITE }} {{ DIR }}

# The probes on every emulator that is there, against what is recorded; arguments go to `test`: `just probes fs_ --accept`
probes *ARGS:
    cargo build --locked --workspace
    cd craftos-fixtures/probes && ../../target/debug/craftos-harness test {{ ARGS }}

# The Lua machine against lua5.2 and CraftOS-PC, where they are, on made-up programs: `just fuzz --seed 7 --count 1000000`
fuzz *ARGS:
    cargo run --release --locked --package craftos-lua-fuzz -- {{ ARGS }}

# The specs of other people's projects, from checkouts outside this one: `just field DIR`
field DIR *ARGS:
    cargo build --locked --workspace
    craftos-fixtures/field/run target/debug/craftos-harness {{ DIR }} {{ ARGS }}

# Random changes of one operator of `lua/`, which a spec or a scenario has to notice: `just mutate-lua --seed 7 --count 20`
mutate-lua *ARGS:
    cargo build --locked --workspace
    tests/mutate-lua target/debug/craftos-harness {{ ARGS }}

# How much of the Lua here runs alongside the Lua of checkouts outside the project: `just likeness DIR...`
likeness +DIRS:
    cargo run --quiet --locked --package likeness -- --ours harness/emulator/rom --ours lua {{ DIRS }}

# The shell steps of the release and of the action for other projects, on this machine
steps:
    cargo build --locked --workspace
    .github/try-steps target/debug

# The official conformance suite and the real clients against the bridge, and its client scenarios against the host
conformance:
    cargo build --locked --workspace
    tests/conformance/run target/debug/mcp-bridge target/debug/craftos-harness
    tests/conformance/client target/debug/craftos-harness

# The pages of a report in Chromium: links, filters, copying, narrow windows, and what axe says
pages:
    cargo build --locked --workspace
    tests/pages/run target/debug/craftos-harness

# The figures of this machine
bench *ARGS:
    cargo bench --workspace --locked --bench '*' -- {{ ARGS }}
    cargo build --release --locked --workspace --bin craftos-harness
    target/release/craftos-harness bench

# Every scenario in virtual time, what was found by seed before, and faults for a while on fresh seeds, whose range is printed: `just simulate --for 5m`
simulate *ARGS="--for 30s":
    cargo build --locked --workspace
    target/debug/craftos-harness simulate
    target/debug/craftos-harness simulate --fixtures craftos-fixtures/found
    target/debug/craftos-harness simulate --faults all {{ ARGS }}

# Fresh seeds with all faults until Ctrl-C, or for as long as is said: `just soak --for 8h`
soak *ARGS="--for 365d":
    cargo build --release --locked --workspace --bin craftos-harness
    target/release/craftos-harness simulate --faults all {{ ARGS }}

# What CI runs beside the tests: specs, probes, simulation, the steps of workflows, conformance and pages
programs: lua-test probes simulate steps conformance pages

# All that CI runs
ci: check test programs
