// Every operation of a step under the GPU's roofs, as a drawing, by keyboard, and as a table.
import assert from "node:assert/strict";
import { session } from "./harness.mjs";
import { field } from "./page.mjs";

const { test } = session();

const rows = (page) =>
  page.$$eval("[data-card=roofline] tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));

// Llama-3.1-8B's attention output: 32 × 4096 × 4096 weights of 2 bytes, 2 FLOPs each: 1.07 GB, 1 FLOP a byte. Read at
// 2979 GB/s and started 32 times at 6.86 µs: 580 µs, hence 1.85 TFLOP/s.
test("an operation stands at its intensity, and with more streams at so many times as much", async ({ open }) => {
  const page = await open({ hash: "v=1&model=llama-3.1-8b&gpu=h100-sxm&gpus=1&tp=1&ctx=1000" });
  await page.waitForSelector("[data-chart=roofline] canvas");
  const of = async () => (await rows(page)).filter(([name]) => name === "Attention output");
  assert.deepEqual(await of(), [["Attention output", "1 stream", "1.07 GB", "1.07 GFLOP", "580 µs", "1.00 FLOP/B", "1.85 TFLOP/s"]]);
  await field(page, "batch").text.fill("16");
  await page.waitForFunction(() => document.querySelectorAll("[data-card=roofline] tbody tr").length > 10);
  assert.deepEqual((await of()).map((cells) => [cells[1], cells[5]]), [["1 stream", "1.00 FLOP/B"], ["16 streams", "16.0 FLOP/B"]]);
  assert.match(await page.locator("[data-card=roofline] .note").first().textContent(), /^With 1 stream as with 16 streams every operation lies left of the ridge at 266 FLOP\/B/);
});

test("the keyboard reaches the whole step, and the pointer a ridge", async ({ open }) => {
  const page = await open();
  const canvas = page.locator("[data-chart=roofline] canvas");
  await canvas.focus();
  const tooltip = page.locator("[data-chart=roofline] .tooltip");
  const seen = new Set();
  for (let press = 0; press < 20; press++) {
    await page.keyboard.press("ArrowRight");
    seen.add(await tooltip.locator("strong").textContent());
  }
  for (const name of ["LM head", "KV cache", "Router", "Whole step, measured", "BF16 403 TFLOP/s"]) assert.ok(seen.has(name), `${name} of ${[...seen]}`);
});

test("a GPU without a source for its FLOPs has memory's roof alone", async ({ open }) => {
  const page = await open({ hash: "v=1&model=llama-3.1-8b&gpu=rtx-5090&gpus=1&tp=1" });
  await page.waitForSelector("[data-chart=roofline] canvas");
  assert.match(await page.locator("[data-card=roofline]").innerText(), /no source for its FLOPs/);
});
