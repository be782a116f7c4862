// The page opens on the worked example, and its figures are on the screen.
import assert from "node:assert/strict";
import { accessibility, session } from "./harness.mjs";
import { figures } from "./page.mjs";

const { test } = session();

test("the worked example's figures are on the screen", async ({ open }) => {
  const page = await open();
  await page.waitForSelector("canvas");
  const shown = await figures(page);
  assert.equal(shown.speed.value, "57.5 tok/s");
  assert.match(shown.speed.note, /17\.4 ms a step, measured/);
  assert.equal(shown.layer.value, "223 µs");
  assert.match(shown.layer.note, /\+2\.70 tok\/s/);
  assert.match(shown.allreduce.note, /156 of 12 KiB/);
  assert.match(shown.bandwidth.value, /^1[34]\.\d %$/);
  assert.equal(shown["first-token"].value, "52.1 ms");
  assert.match(shown["first-token"].note, /2\.4 %/);
  const text = await page.locator("main").innerText();
  for (const figure of ["all 1623 observations", "between 10 and 25 ms", "3.83 ms a token", "24.5 µs an allreduce", "18.1 %", "4.5 %", "+2.58 tok/s", "1458 GB/s"])
    assert.ok(text.includes(figure), figure);
  assert.match(text, /exports no timing per operation/);
});

test("every chart is drawn, described, and there as a table", async ({ open }) => {
  const page = await open();
  await page.waitForSelector("canvas");
  await page.waitForTimeout(300);
  const charts = await page.$$eval(".chart", (all) =>
    all.map((chart) => {
      const canvas = chart.querySelector("canvas");
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4 * 97) colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
      return {
        key: chart.dataset.chart,
        colours: colours.size,
        summary: document.getElementById(canvas.getAttribute("aria-describedby")).textContent,
        rows: chart.parentElement.querySelectorAll("tbody tr").length,
      };
    }),
  );
  assert.deepEqual(charts.map(({ key }) => key), ["budget", "allreduce", "curve", "ceilings", "itl", "ttft", "bytes", "predicted-step", "roofline", "predicted-batch", "predicted-context", "memory"]);
  for (const { key, colours, summary, rows } of charts) {
    assert.ok(colours > 3, `${key} has ${colours} colours`);
    assert.ok(summary.length > 20 && !summary.includes("NaN"), `${key}: ${summary}`);
    assert.ok(rows > 0, key);
  }
  const ceilings = charts.find(({ key }) => key === "ceilings").summary;
  for (const range of ["100–167 tok/s", "128–164 tok/s"]) assert.ok(ceilings.includes(range), ceilings);
});

test("a chart can be stepped through with the keyboard and hovered with the pointer", async ({ open }) => {
  const page = await open();
  const canvas = page.locator('[data-chart="budget"] canvas');
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  const tooltip = page.locator('[data-chart="budget"] .tooltip');
  assert.match(await tooltip.textContent(), /ms|µs/);
  await page.keyboard.press("Escape");
  await tooltip.waitFor({ state: "detached" });
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 40);
  assert.match(await tooltip.textContent(), /Residual/);
});

for (const [width, height] of [[1280, 900], [390, 844]]) {
  test(`at ${width} pixels the answer is above the fold and nothing scrolls sideways`, async ({ open }) => {
    const page = await open({ width, height });
    await page.waitForSelector("canvas");
    const { bottom, overflow } = await page.evaluate(() => ({
      bottom: document.querySelector(".figures").getBoundingClientRect().bottom,
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    assert.ok(bottom < height, `the figures end at ${bottom}`);
    assert.equal(overflow, 0);
  });
}

test("the whole page is accessible in both themes, tables open", async ({ open }) => {
  for (const theme of ["light", "dark"]) {
    const page = await open({ theme });
    await page.waitForSelector("canvas");
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    assert.deepEqual(await accessibility(page), []);
  }
});

test("the theme that was chosen is kept", async ({ open }) => {
  const page = await open({ theme: "light" });
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.reload();
  await page.waitForSelector("h1");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});
