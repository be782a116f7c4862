// What is large is read a little at a time: the page listens meanwhile, says how far it is, and stops when it is told to.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { session } from "./harness.mjs";
import { figureIs } from "./page.mjs";

const { test } = session();

const ITL = "vllm:inter_token_latency_seconds";
const BOUNDS = ["0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "+Inf"];

/** Parts until they make up so many MB. */
function text(megabytes, part) {
  const parts = [];
  for (let size = 0; size < megabytes * 1e6; size += parts.at(-1).length) parts.push(part(parts.length));
  return parts.join("");
}

/** A server of which each of 100 tokens took 20 ms. */
function server(pod) {
  const labels = `engine="0",model_name="m",pod="vllm-${pod}"`;
  const buckets = BOUNDS.map((le, place) => `${ITL}_bucket{${labels},le="${le}"} ${place ? 100 : 0}.0\n`);
  return `${buckets.join("")}${ITL}_count{${labels}} 100.0\n${ITL}_sum{${labels}} 2.0\n`;
}

/** Bucket by bucket of 1 µs, one observation in each. */
function giant(buckets) {
  const one = (bucket) => `${ITL}_bucket{engine="0",le="${(bucket / 1e6).toFixed(6)}"} ${bucket}\n`;
  const all = Array.from({ length: buckets }, (_, place) => one(place + 1)).join("");
  const end = `${ITL}_bucket{engine="0",le="+Inf"} ${buckets}\n${ITL}_count{engine="0"} ${buckets}\n`;
  return `${all}${end}${ITL}_sum{engine="0"} ${buckets ** 2 / 2e6}\n`;
}

let folder;
let file;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "decodescope-"));
  file = join(folder, "large.txt");
  await writeFile(file, text(60, server));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Notes all that is said of the reading, and the longest time for which the page was deaf. */
const watch = (page) =>
  page.addInitScript(() => {
    globalThis.said = new Set();
    globalThis.deaf = 0;
    const note = () => globalThis.said.add(document.querySelector(".reading label")?.textContent);
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    const longest = (list) => {
      for (const { duration } of list.getEntries()) globalThis.deaf = Math.max(globalThis.deaf, duration);
    };
    new PerformanceObserver(longest).observe({ entryTypes: ["longtask"] });
  });

/** Pastes; that the text comes into the browser for it is no part of what is measured. */
async function paste(page, text) {
  await page.evaluate((text) => {
    globalThis.data = new DataTransfer();
    globalThis.data.setData("text/plain", text);
  }, text);
  await page.waitForTimeout(200);
  await page.evaluate(() => {
    globalThis.deaf = 0;
    const event = new ClipboardEvent("paste", { clipboardData: globalThis.data, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
  });
}

const settled = async (page) => {
  await page.locator(".reading").waitFor({ state: "detached", timeout: 60_000 });
  await page.waitForTimeout(300);
};

/** In one go the file takes more than a second on a fast machine; in turns of 30 ms a slow one has room for ten. */
async function listened(page, context) {
  const deaf = await page.evaluate(() => globalThis.deaf);
  context.diagnostic(`deaf for ${deaf.toFixed(0)} ms at most`);
  assert.ok(deaf < 600, `${deaf} ms`);
}

const remarks = (page) => page.locator(".import .remarks li").allTextContents();

test("a large file is read, the page listens meanwhile, and says how far it is", async ({ open, context }) => {
  const page = await open({ prepare: watch });
  await page.waitForTimeout(500);
  await page.evaluate(() => (globalThis.deaf = 0));
  await page.setInputFiles("input[type=file]", file);
  await page.locator(".reading").waitFor();
  await settled(page);
  await figureIs(page, "speed", "50.0 tok/s");
  assert.match(await page.locator(".outcome").textContent(), /large\.txt: \d+ samples of 1 metric read/);
  assert.ok((await remarks(page)).some((remark) => /^More than 1000 engines: only models are told apart/.test(remark)));
  const said = await page.evaluate(() => [...globalThis.said]);
  assert.ok(said.some((text) => /^Reading large\.txt, [1-9]\d* %$/.test(text)), said.join("; "));
  const understanding = said.filter((text) => /^Understanding the 60 MB of large\.txt, \d+ %$/.test(text));
  assert.ok(understanding.length > 5, said.join("; "));
  await listened(page, context);
});

test("a file is cancelled while it is being understood, and the page stays as it was", async ({ open }) => {
  const page = await open({ prepare: watch });
  const hash = await page.evaluate(() => location.hash);
  // A person's click cannot be timed from outside.
  await page.evaluate(() => {
    const stop = () => {
      const label = document.querySelector(".reading label")?.textContent ?? "";
      if (/^Understanding .*, [1-9]\d* %$/.test(label)) document.querySelector(".reading button").click();
      else setTimeout(stop, 1);
    };
    stop();
  });
  await page.setInputFiles("input[type=file]", file);
  await page.locator(".reading").waitFor();
  await settled(page);
  await page.waitForTimeout(1000);
  assert.equal(await page.locator(".reading").count(), 0);
  assert.equal(await page.locator(".outcome").textContent(), "");
  assert.equal(await page.evaluate(() => location.hash), hash);
  await figureIs(page, "speed", "57.5 tok/s");
});

test("what is brought last counts, also while a large file is being read", async ({ open }) => {
  const page = await open();
  await page.setInputFiles("input[type=file]", file);
  await page.locator(".reading").waitFor();
  await paste(page, `${ITL}_sum 0.1\n${ITL}_count 10\n`);
  await figureIs(page, "speed", "100 tok/s");
  await page.waitForTimeout(2500);
  assert.equal(await page.locator(".reading").count(), 0);
  await figureIs(page, "speed", "100 tok/s");
});

test("a large paste is read, letters of two surrogates and all", async ({ open, context }) => {
  const page = await open({ prepare: watch });
  // Wherever the slices end, one in two ends within a pair.
  const emoji = text(12, () => `# ${"😀".repeat(50)}\n`);
  await paste(page, emoji + text(12, server));
  await page.locator(".reading").waitFor();
  await settled(page);
  await figureIs(page, "speed", "50.0 tok/s");
  assert.deepEqual((await remarks(page)).filter((remark) => /UTF/.test(remark)), []);
  await listened(page, context);
});

test("a histogram of hundreds of thousands of buckets is read, joined and said to be", async ({ open, context }) => {
  const page = await open({ prepare: watch });
  await paste(page, giant(300_000));
  // One observation in each µs up to 0.3 s: 150 ms on average.
  await figureIs(page, "speed", "6.67 tok/s");
  await settled(page);
  const joined = `Line 1: ${ITL}: 300001 buckets, neighbours were joined: 500 are left.`;
  assert.ok((await remarks(page)).includes(joined));
  await listened(page, context);
});

test("the reply to a query, a log and a line of many MB fail nothing", async ({ open, context }) => {
  const page = await open({ prepare: watch });
  const labels = (name, pod) => `"metric":{"__name__":"${ITL}_${name}","pod":"vllm-${pod}"}`;
  const result = (name, pod, value) => `{${labels(name, pod)},"value":[1737152883.5,"${value}"]}`;
  const results = text(10, (pod) => `${pod ? "," : ""}${result("sum", pod, 2)},${result("count", pod, 100)}`);
  await paste(page, `{"status":"success","data":{"resultType":"vector","result":[${results}]}}`);
  await page.locator(".reading").waitFor();
  await settled(page);
  await figureIs(page, "speed", "50.0 tok/s");
  await listened(page, context);
  for (const [what, remark] of [
    [text(10, (line) => `INFO ${line} [engine.py:${line % 700}] Running: ${line % 9} reqs, usage: ${line % 100}%\n`), /^Line 1: /],
    ["x=".repeat(5e6), /^Line 1: a line of 10 MB, longer than any that holds a sample/],
  ]) {
    await paste(page, what);
    await page.getByText("not metrics text; what was on the page stays").waitFor();
    await settled(page);
    assert.match((await remarks(page))[0], remark);
    await figureIs(page, "speed", "50.0 tok/s");
    await listened(page, context);
  }
});
