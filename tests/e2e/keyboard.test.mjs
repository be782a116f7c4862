// Everything by keyboard, and what a screen reader is told.
import assert from "node:assert/strict";
import { session } from "./harness.mjs";
import { field, figureIs } from "./page.mjs";

const { test } = session();

// What the Tab key can stop at: of a group of radio buttons only the chosen one.
const STOPS = "a[href], button:not(:disabled), input:not([tabindex='-1']):not([type=radio]:not(:checked)), select, textarea, summary, canvas[tabindex='0']";

test("the Tab key reaches everything once, in the order of the page, and what it reaches is in sight", async ({ open }) => {
  const page = await open();
  await page.waitForSelector("[data-chart=bytes] canvas");
  const expected = await page.$$eval(STOPS, (all) =>
    all.filter((one) => one.checkVisibility()).map((one, index) => (one.dataset.stop = `${index} ${one.tagName} ${one.id}`)),
  );
  assert.ok(expected.length > 80, `${expected.length} stops`);
  const reached = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const { stop, inSight } = await page.evaluate(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect();
      return { stop: document.activeElement.dataset.stop, inSight: bottom > 0 && top < innerHeight };
    });
    if (!stop || reached.includes(stop)) break;
    assert.ok(inSight, `${stop} is out of sight`);
    reached.push(stop);
  }
  assert.deepEqual(reached, expected);
});

test("the first stop skips to the answer and leaves the address alone", async ({ open }) => {
  const page = await open();
  const address = page.url();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "headline");
  assert.equal(page.url(), address);
});

test("the arrow keys step through all that a chart shows, both ways, and around", async ({ open }) => {
  const page = await open();
  for (const key of ["budget", "allreduce", "curve", "ceilings", "itl", "ttft", "bytes", "predicted-step", "roofline", "predicted-batch", "predicted-context", "memory"]) {
    const canvas = page.locator(`[data-chart="${key}"] canvas`);
    const tooltip = page.locator(`[data-chart="${key}"] .tooltip`);
    await canvas.focus();
    const seen = [];
    for (;;) {
      await page.keyboard.press("ArrowRight");
      const text = await tooltip.innerText();
      const at = await tooltip.getAttribute("style");
      if (seen.length && text + at === seen[0]) break;
      seen.push(text + at);
      const [chart, tip] = [await canvas.boundingBox(), await tooltip.boundingBox()];
      assert.ok(tip.x >= chart.x - 1 && tip.x + tip.width <= chart.x + chart.width + 1, `${key}: ${text} leaves the chart`);
      assert.ok(seen.length < 60, `${key} never comes around`);
    }
    assert.ok(seen.length > 1, `${key}: ${seen}`);
    await page.keyboard.press("ArrowLeft");
    assert.equal((await tooltip.innerText()) + (await tooltip.getAttribute("style")), seen.at(-1), key);
  }
});

test("a radio button, a group and a theme are operated by keyboard", async ({ open }) => {
  const page = await open();
  await page.locator('input[name="estimate"]:checked').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await figureIs(page, "allreduce", "60 %");
  const group = page.locator("details.group").filter({ hasText: "Hardware" });
  await group.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.equal(await field(page, "tp").text.isVisible(), false);
  await page.getByRole("button", { name: "Dark theme" }).focus();
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

// Each step of a drag changes ten figures: read aloud, they would bury the one that counts.
test("what changed is said once the page has come to rest", async ({ open }) => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.said = [];
    const spoken = document.querySelector("#spoken");
    new MutationObserver(() => globalThis.said.push(spoken.textContent)).observe(spoken, { childList: true, characterData: true, subtree: true });
  });
  await field(page, "save").slider.focus();
  for (let press = 0; press < 10; press++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => globalThis.said.length > 0);
  const said = await page.evaluate(() => globalThis.said);
  // 1 / (17.391 ms - 78 × 15 µs) = 61.65 tok/s
  assert.deepEqual(said, ["15 µs off each layer, 6.7 % of it: 61.6 tok/s"]);
});
