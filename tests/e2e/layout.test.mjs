// How the page stands: at any width, in print, and where messages are seen.
import assert from "node:assert/strict";
import { accessibility, drop, paste, screenshot, session } from "./harness.mjs";
import { field } from "./page.mjs";

const { test } = session();

const LONG_NAME = `org/${"a-model-with-a-very-long-name-".repeat(6)}FP8`;
const dump = (model) => `\
vllm:inter_token_latency_seconds_count{engine="0",model_name="${model}"} 100
vllm:inter_token_latency_seconds_sum{engine="0",model_name="${model}"} 2
`;

for (const width of [320, 360, 390, 600, 768, 1000, 1001, 1280, 1920]) {
  test(`at ${width} pixels nothing scrolls sideways, with everything open and the longest names`, async ({ open }) => {
    const page = await open({ width });
    const wide = () =>
      page.evaluate(() => {
        document.querySelectorAll("details").forEach((one) => (one.open = true));
        return document.documentElement.scrollWidth - document.documentElement.clientWidth;
      });
    assert.equal(await wide(), 0);
    await paste(page, dump(LONG_NAME));
    await page.locator(".origin").filter({ hasText: LONG_NAME }).waitFor();
    assert.equal(await wide(), 0);
    await paste(page, "no metrics at all");
    await page.locator(".outcome.failed").waitFor();
    assert.equal(await wide(), 0);
  });
}

const inSight = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

for (const [width, height] of [[1280, 900], [390, 844]]) {
  // On a phone the inputs stand below the answer: a message among them would not be seen.
  test(`at ${width} pixels why a link was not opened is in sight and can be dismissed`, async ({ open }) => {
    const page = await open({ width, height, hash: "v=1&itl=fast" });
    const notice = page.locator(".notice");
    assert.match(await notice.textContent(), /part itl is damaged: expected a number\. The worked example is shown instead\./);
    assert.ok(await inSight(notice));
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "hidden" });
  });

  test(`at ${width} pixels why a paste changed nothing is in sight, wherever it was made`, async ({ open }) => {
    const page = await open({ width, height });
    for (const bottom of [false, true]) {
      await page.evaluate((bottom) => scrollTo(0, bottom ? document.body.scrollHeight : 0), bottom);
      await drop(page, "diary.txt", "dear diary\n");
      await page.locator(".outcome.failed").waitFor();
      await page.waitForTimeout(100);
      assert.ok(await inSight(page.locator(".outcome")), bottom ? "from the bottom" : "from the top");
    }
  });
}

// A line that comes and goes within a frame makes the page jump.
test("a paste does not move what stands below", async ({ open }) => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.tops = new Set();
    const answer = document.querySelector(".answer");
    const look = () => {
      globalThis.tops.add(answer.getBoundingClientRect().top);
      requestAnimationFrame(look);
    };
    look();
  });
  await paste(page, dump("m"));
  await page.locator(".origin").filter({ hasText: /pasted text/i }).waitFor();
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => globalThis.tops.size), 1);
});

for (const theme of ["light", "dark"]) {
  test(`a ${theme} page prints dark on white, without what only a screen can use`, async ({ open }) => {
    const page = await open({ theme: "light" });
    await page.waitForSelector("canvas");
    if (theme === "dark") await page.getByRole("button", { name: "Dark theme" }).click();
    await page.waitForTimeout(300);
    await page.emulateMedia({ media: "print" });
    for (const selector of [".toolbar", ".inputs", ".data", ".skip"])
      assert.equal(await page.locator(selector).first().isVisible(), false, selector);
    const colours = await page.evaluate(() => {
      const lightness = (element, property) => {
        const [red, green, blue] = getComputedStyle(element)[property].match(/[\d.]+/g).map(Number);
        return (red + green + blue) / 765;
      };
      return { text: lightness(document.querySelector("h1"), "color"), paper: lightness(document.querySelector(".answer"), "backgroundColor") };
    });
    assert.ok(colours.text < 0.25 && colours.paper > 0.9, JSON.stringify(colours));
    // The corner of a chart, as painted.
    const chart = page.locator("[data-chart=curve] canvas");
    await chart.scrollIntoViewIfNeeded();
    const { x, y } = await chart.boundingBox();
    const corner = await page.screenshot({ clip: { x: x + 1, y: y + 1, width: 1, height: 1 } });
    const [red, green, blue] = await page.evaluate(async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const context = new OffscreenCanvas(1, 1).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return [...context.getImageData(0, 0, 1, 1).data];
    }, [...corner]);
    assert.ok(Math.min(red, green, blue) > 220, `${[red, green, blue]}`);
    await screenshot(page, `print ${theme}`);
    assert.ok((await page.pdf()).length > 20_000);
  });
}

test("messages, refusals and tooltips are accessible in both themes", async ({ open }) => {
  for (const theme of ["light", "dark"]) {
    const page = await open({ theme, hash: "v=99" });
    await page.waitForSelector("canvas");
    await paste(page, "no metrics at all");
    await page.locator(".outcome.failed").waitFor();
    await page.evaluate(() => (location.hash = "v=98"));
    await page.locator(".notice").filter({ hasText: "98" }).waitFor();
    await field(page, "gpus").text.fill("2");
    await page.locator(".doubts li").filter({ hasText: "Tensor parallel 8 needs as many GPUs" }).waitFor();
    await field(page, "tp").text.fill("many");
    await page.locator("[data-chart=budget] canvas").hover({ position: { x: 500, y: 40 } });
    await page.locator(".tooltip").waitFor();
    assert.deepEqual(await accessibility(page), [], theme);
  }
});

test("a refused number keeps its row in line with the others", async ({ open }) => {
  const page = await open();
  const { text, problem } = field(page, "layers");
  const before = await text.boundingBox();
  await text.fill("many");
  await problem.filter({ hasText: "expected a whole number from 1 to 256" }).waitFor();
  assert.deepEqual(await text.boundingBox(), before);
});
