// The pages of a report in a real browser: what a person can click, read and copy, and what axe says of them.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { makeReport } from "./report.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const scenarios = ["answer/changed", "answer/quits", "crowd/twelve", "hostile/label"];
const specs = ["index.html", "coverage/index.html", "coverage/files/src/greet.lua.html"].map((name) => `specs/${name}`);
const pages = ["index.html", ...scenarios.map((name) => `embedded/${name}/index.html`), ...specs];

/** The report, the browser, and everything that a page asked for beyond itself. */
let made;
let browser;
const asked = [];

before(async () => {
    made = makeReport();
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM,
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
});

after(async () => {
    await browser?.close();
    if (made) rmSync(made.folder, { recursive: true });
});

const address = (page) => pathToFileURL(join(made.report, page)).href;

/** Opens a page of the report in a window of this size. */
async function open(page, { width = 1280, height = 900, ...more } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, permissions: ["clipboard-read", "clipboard-write"], ...more });
    const opened = await context.newPage();
    opened.on("request", (request) => request.url().startsWith("file:") || asked.push(request.url()));
    opened.on("pageerror", (error) => asked.push(`error on ${page}: ${error}`));
    await opened.goto(address(page));
    return opened;
}

/** The names of the scenarios that the index shows. */
const shown = (index) => index.locator("tbody tr:visible .whole, tbody tr:visible th:not(:has(.whole))").evaluateAll((all) => all.map((one) => one.firstChild.textContent.trim()));

test("a row of the index is a link as large as the row", async () => {
    const index = await open("index.html");
    const row = index.locator("tbody tr", { hasText: "answer/changed" });
    const box = await row.boundingBox();
    // Where there is no text: at the right end of the row.
    await index.mouse.click(box.x + box.width * 0.6, box.y + box.height - 3);
    await index.waitForURL(address("embedded/answer/changed/index.html"));
    await index.goBack();
    await row.locator("td a").click();
    await index.waitForURL(address("embedded/answer/changed/index.html"));
    await index.context().close();
});

test("a row shows the first line of the diff, or the reason", async () => {
    const index = await open("index.html");
    const why = (name) => index.locator("tbody tr", { hasText: name }).locator(".why").innerText();
    assert.match(await why("answer/changed"), /^- .*"value":"one"/);
    assert.match(await why("answer/quits"), /computer 12 ended before it was linked: exit 0/);
    assert.equal(await why("quiet/skipped"), "it has no <turtle> & co");
    await index.context().close();
});

test("the index is filtered to failed, broken, skipped and slow, also without scripts", async () => {
    for (const javaScriptEnabled of [true, false]) {
        const index = await open("index.html", { javaScriptEnabled });
        const only = async (name) => {
            await index.getByRole("radio", { name: new RegExp(`^${name} `) }).check();
            return (await shown(index)).sort();
        };
        assert.deepEqual(await only("failed"), ["answer/changed", "answer/quits"]);
        assert.deepEqual(await only("broken"), ["quiet/two"]);
        assert.deepEqual(await only("skipped"), ["quiet/skipped"]);
        assert.deepEqual(await only("slow"), ["quiet/slow"]);
        assert.equal((await only("all")).length, 8);
        await index.context().close();
    }
});

test("a search leaves the rows that have the words", async () => {
    const index = await open("index.html");
    await index.keyboard.press("/");
    await index.keyboard.type("twelve");
    await index.waitForFunction(() => document.querySelectorAll("tbody tr:not([hidden])").length === 1);
    assert.deepEqual(await shown(index), ["crowd/twelve"]);
    await index.context().close();
});

test("the diff leads to the failing step, which is marked and leads back", async () => {
    const page = await open("embedded/answer/changed/index.html");
    await page.locator("#diff a", { hasText: "step 2" }).first().click();
    const step = page.locator("#step-2");
    assert.equal(new URL(page.url()).hash, "#step-2");
    assert.ok(await step.evaluate((one) => one.classList.contains("failed")));
    assert.match(await step.innerText(), /exec on 12.*\n?.*failed here/s);
    assert.equal(await page.locator(".step.failed").count(), 1);
    await step.getByRole("link", { name: "failed here" }).click();
    assert.equal(new URL(page.url()).hash, "#failure");
    await page.context().close();
});

test("a scenario that broke off marks its step, and its reason leads there", async () => {
    const page = await open("embedded/answer/quits/index.html");
    await page.getByRole("link", { name: "to the step that failed" }).click();
    assert.match(await page.locator(".step.failed[id]").innerText(), /boot/);
    await page.context().close();
});

test("the diff stands alone and can be copied", async () => {
    const page = await open("embedded/answer/changed/index.html");
    await page.getByRole("button", { name: "copy the diff" }).click();
    await page.locator("[role=status]", { hasText: "copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const lines = copied.trimEnd().split("\n");
    assert.ok(lines.every((line) => /^([ +-] |  ⋮|[+-]$)/.test(line)), copied);
    assert.ok(lines.some((line) => line.startsWith("- ") && line.includes('"one"')), copied);
    assert.ok(lines.some((line) => line.startsWith("+ ") && line.includes('"two"')), copied);
    assert.ok(!copied.includes("linked as") && !copied.includes("step 2"), copied);
    await page.context().close();
});

test("a screen is shown once, its characters as themselves", async () => {
    const page = await open("embedded/answer/changed/index.html");
    const cards = page.locator(".screens .screen");
    assert.equal(await cards.count(), 1);
    assert.match(await cards.innerText(), /base-türtle/);
    assert.match(await cards.locator("pre").innerText(), /linked as 12 \(Label: base-türtle\)/);
    assert.match(await page.locator(".arrow", { hasText: "tools/call #3" }).first().innerText(), /print\('Grüße ☃ <b>'\)/);
    assert.ok(!(await page.locator("#failure").innerText()).includes("linked as"));
    const quits = await open("embedded/answer/quits/index.html");
    assert.equal((await quits.locator("main").innerText()).split("not today").length - 1, 2, "its card, and its row in the diagram");
    await page.context().close();
    await quits.context().close();
});

test("nothing is cut off in a window of 400 px", async () => {
    for (const name of pages) {
        const page = await open(name, { width: 400 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, `${name} is ${wide} px too wide`);
        assert.deepEqual(await hidden(page), [], name);
        await page.context().close();
    }
});

test("with more than eight computers nothing is cut off", async () => {
    const page = await open("embedded/crowd/twelve/index.html");
    assert.deepEqual(await hidden(page), []);
    // Computers that share a lane are named beside what they do.
    await page.getByRole("button", { name: "unfold all" }).click();
    for (let id = 100; id <= 111; id += 1) {
        assert.ok((await page.locator(".sequence").textContent()).includes(String(id)), `computer ${id}`);
        assert.ok(await page.locator(`#computer-${id}`).isVisible(), `the screen of ${id}`);
    }
    // What does not fit into the window is reached by scrolling, with the keyboard too.
    const sequence = page.getByRole("region", { name: "sequence diagram" });
    await sequence.focus();
    const reach = await sequence.evaluate((one) => {
        one.scrollLeft = one.scrollWidth;
        const last = one.querySelector(".heads > :last-child").getBoundingClientRect();
        return last.right <= one.getBoundingClientRect().right + 1;
    });
    assert.ok(reach, "the last lane");
    await page.context().close();
});

/** The texts of which a part lies outside of its own box and cannot be scrolled to. */
function hidden(page) {
    return page.evaluate(() => {
        const clips = (style) => ["hidden", "clip"].includes(style.overflowX) || style.textOverflow === "ellipsis";
        const isOut = (one) => {
            const style = getComputedStyle(one);
            if (one.closest(".who") && style.clipPath !== "none") return false;
            return clips(style) && one.scrollWidth > one.clientWidth + 1;
        };
        return [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() && isOut(one)).map((one) => `${one.className}: ${one.textContent.slice(0, 80)}`);
    });
}

test("axe finds nothing, in either colour scheme, in either width", async () => {
    for (const name of pages) {
        for (const options of [{}, { colorScheme: "dark" }, { width: 400 }]) {
            const page = await open(name, options);
            await page.evaluate(() => document.querySelectorAll("details").forEach((one, at) => (one.open = at < 40)));
            await page.evaluate(axe);
            const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
            const told = violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.slice(0, 3).map((node) => `  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`).join("\n")}`);
            assert.deepEqual(told, [], `${name} ${JSON.stringify(options)}`);
            await page.context().close();
        }
    }
});

test("strangers' texts are shown and do nothing", async () => {
    const page = await open("embedded/hostile/label/index.html");
    assert.equal(await page.title(), "hostile/label on embedded: passed");
    assert.match(await page.locator("#computer-7").innerText(), /<script>document\.title='owned'<\/script>/);
    assert.equal(await page.locator("img").count(), 0);
    await page.context().close();
});

test("the page of specs leads to the source of what did not run", async () => {
    const index = await open("specs/index.html");
    assert.match(await index.locator("h1").innerText(), /^1 passed, 1 failed, 1 pending$/);
    await index.getByRole("radio", { name: /^failed / }).check();
    assert.equal(await index.locator("tbody tr:visible").count(), 1);
    assert.match(await index.locator("tbody tr:visible").innerText(), /-\s+3,?\s[^]*\+\s+2/);
    await index.locator(".tally a").click();
    await index.waitForURL(address("specs/coverage/index.html"));
    await index.getByRole("link", { name: "4", exact: true }).click();
    await index.waitForURL(`${address("specs/coverage/files/src/greet.lua.html")}#L4`);
    assert.match(await index.locator("#L4").innerText(), /never/);
    assert.match(await index.locator("#L6").innerText(), /1×/);
    assert.equal((await index.locator("#L2").innerText()).includes("<b>nobody</b>"), true);
    await index.context().close();
});

// The last one: by now every page has been opened.
test("no page asks for anything, and none has an error", () => {
    assert.deepEqual(asked, []);
});
