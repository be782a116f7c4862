// A drag feels immediate: figures, texts and all charts follow within a frame.
import assert from "node:assert/strict";
import { session } from "./harness.mjs";

const { test } = session();

const STEPS = 40;

// An idle laptop takes 4 ms. The limit leaves room for two busy cores, not for computing or drawing twice.
test("a slider's step takes less than 25 ms of script", async ({ open, context }) => {
  const page = await open();
  await page.waitForSelector("[data-chart=bytes] canvas");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const script = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ScriptDuration").value * 1000;
  };
  for (const key of ["save", "itl"]) {
    const before = await script();
    await page.evaluate(
      async ([key, steps]) => {
        const slider = document.querySelector(`.field:has(#field-${key}) .slider`);
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        for (let step = 0; step < steps; step++) {
          slider.value = 100 + ((step * 7) % 600);
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          await frame();
          await frame();
        }
      },
      [key, STEPS],
    );
    const each = ((await script()) - before) / STEPS;
    context.diagnostic(`${key}: ${each.toFixed(2)} ms of script a step`);
    assert.ok(each < 25, `${key}: ${each} ms`);
  }
});

test("charts that a change does not concern are not painted again", async ({ open }) => {
  const page = await open({
    prepare: (page) =>
      page.addInitScript(() => {
        globalThis.painted = {};
        const fillText = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (...text) {
          const key = this.canvas.parentElement?.dataset.chart;
          globalThis.painted[key] = (globalThis.painted[key] ?? 0) + 1;
          return fillText.apply(this, text);
        };
      }),
  });
  await page.waitForSelector("[data-chart=bytes] canvas");
  await page.waitForTimeout(300);
  const all = await page.evaluate(() => Object.keys(globalThis.painted).length);
  assert.equal(all, 12);
  await page.evaluate(() => (globalThis.painted = {}));
  // What if every layer took less: a rung of the ladder, and nothing else that is drawn.
  await page.locator("#field-save").fill("30");
  await page.waitForTimeout(300);
  assert.deepEqual(await page.evaluate(() => Object.keys(globalThis.painted)), ["ceilings"]);
});
