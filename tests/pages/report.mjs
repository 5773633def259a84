// Makes the report that the tests look at: scenarios of every outcome, played by the harness itself.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The computer answers with what is in its file, so that a changed file is a changed answer. */
const answering = (value) => `
about = "A computer answers with what its file holds."
[[computers]]
id = 12
label = "base-türtle"
files = { "value.lua" = "return '${value}'" }
[[steps]]
call = { tool = "probe-computers" }
[[steps]]
exec = { computer = "12", code = "return dofile('/value.lua')" }
[[steps]]
exec = { computer = "12", code = "print('Grüße ☃ <b>') return nil" }
`;

const quiet = `about = "Nobody is linked."\n[[steps]]\ncall = { tool = "probe-computers" }\n`;

const scenarios = {
    "answer/changed": answering("one"),
    "answer/quits": `
about = "The program ends before it links."
[[computers]]
id = 12
start = "/quit.lua"
files = { "quit.lua" = "print('not today')" }
`,
    "crowd/twelve": `
about = "Twelve computers, which are more than a diagram has lanes for."
[[computers]]
ids = "100-111"
label = "a-label-that-is-rather-long-{id}"
process = "twelve"
[[steps]]
call = { tool = "probe-computers" }
[[steps]]
exec = { computer = "111", code = "return string.rep('word ', 60)" }
`,
    "hostile/label": `
about = "A label that is a <b>tag</b>."
[[computers]]
id = 7
label = "<script>document.title='owned'</script>"
[[steps]]
exec = { computer = "7", code = "print('<img src=x onerror=alert(2)>') return '</pre>'" }
`,
    "quiet/one": quiet,
    "quiet/two": quiet,
    "quiet/slow": quiet,
    "quiet/skipped": `about = "It has a reason."\n[skip]\nembedded = "it has no <turtle> & co"\n${quiet.split("\n").slice(1).join("\n")}`,
};

/** A project whose specs pass, fail and wait, and do not run all lines. */
const specs = {
    "craftos.toml": 'files = { "src" = "/" }\n',
    "src/greet.lua": "local name = ...\n-- <b>nobody</b>\nif not name then\n    print(('nobody '):rep(40))\nend\nreturn name",
    "src/unused.lua": "return 1\n",
    "spec/greet_spec.lua": `describe("greet <i>", function()
    it("gives the name", function() expect(loadfile("/greet.lua")("Ada")):eq("Ada") end)
    it("fails", function() term.write("<img src=x onerror=alert(2)>") expect({ 1, 2 }):same({ 1, 3 }) end)
    pending("is written later")
end)
`,
};

/** Gives the folder of the report. */
export function makeReport() {
    const folder = mkdtempSync(join(tmpdir(), "pages-"));
    const fixtures = join(folder, "fixtures");
    const put = (name, text) => {
        const file = join(fixtures, "scenarios", name, "scenario.toml");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
    };
    let cwd = folder;
    const harness = (code, ...words) => {
        const { status, stdout, stderr } = spawnSync(process.env.HARNESS, words, { encoding: "utf8", cwd });
        if (status !== code) throw new Error(`${words.join(" ")}: code ${status}\n${stdout}${stderr}`);
    };
    const run = (code, report, ...more) =>
        harness(code, "run", "--emulator", "embedded", "--fixtures", fixtures, "--program", process.env.PROGRAM, "--report", report, ...more);
    for (const [name, text] of Object.entries(scenarios)) put(name, text);
    run(1, join(folder, "accepting"), "--accept");
    put("answer/changed", answering("two"));
    const played = join(folder, "played");
    run(1, played);
    // How long a scenario takes is the machine's business: one is made slow where the results are data.
    const results = JSON.parse(readFileSync(join(played, "results.json"), "utf8"));
    for (const result of results.results) result.duration_ms = result.scenario === "quiet/slow" ? 9000 : 20;
    // An emulator that dies cannot be had for the asking either.
    Object.assign(results.results.find((result) => result.scenario === "quiet/two"), { outcome: "broken", reason: "the emulator died" });
    writeFileSync(join(played, "results.json"), JSON.stringify(results));
    const report = join(folder, "report");
    harness(1, "merge", join(played, "results.json"), "--report", report);
    const project = join(folder, "project");
    for (const [name, text] of Object.entries(specs)) {
        mkdirSync(dirname(join(project, name)), { recursive: true });
        writeFileSync(join(project, name), text);
    }
    cwd = project;
    harness(1, "test", "--emulator", "embedded", "--coverage", "--report", join(report, "specs"));
    return { folder, report };
}
