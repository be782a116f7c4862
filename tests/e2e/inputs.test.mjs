// What a person sets: by slider, by hand, back and forth; and the link that carries it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { paste, session } from "./harness.mjs";
import { addressSettles, choose, field, figureIs, figures } from "./page.mjs";

const { test } = session();

test("a slider moves the figures and the charts, by pointer and by keyboard", async ({ open }) => {
  const page = await open();
  const { slider, text } = field(page, "save");
  const ladder = page.locator("#summary-ceilings");
  const before = await ladder.textContent();
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction((before) => document.querySelector("#summary-ceilings").textContent !== before, before);
  const dragged = Number(await text.inputValue());
  assert.ok(dragged > 50, `${dragged}`);
  await slider.focus();
  await page.keyboard.press("Home");
  assert.equal(await text.inputValue(), "0");
  await page.keyboard.press("ArrowRight");
  assert.equal(await text.inputValue(), "0.5");
  assert.equal(await slider.getAttribute("aria-valuetext"), "0.5 µs");
});

test("every parameter of model and hardware moves the figures", async ({ open }) => {
  const page = await open();
  await page.waitForSelector("canvas");
  for (const [key, value, figure] of [
    ["layers", "60", "layer"],
    ["hidden", "4096", "bandwidth"],
    ["wbits", "8", "bandwidth"],
    ["tp", "4", "bandwidth"],
    ["bw", "1000", "bandwidth"],
    ["alpha", "10", "allreduce"],
    ["beta", "1", "allreduce"],
    ["arl", "1", "allreduce"],
    ["itl", "20", "speed"],
    ["ttft", "100", "first-token"],
    ["ctx", "100000", "bandwidth"],
  ]) {
    const before = (await figures(page))[figure];
    await field(page, key).text.fill(value);
    await page.waitForFunction(
      ([figure, before]) => {
        const shown = document.querySelector(`.figure[data-figure="${figure}"]`);
        return shown.querySelector(".value").textContent !== before.value || shown.querySelector(".note").textContent !== before.note;
      },
      [figure, before],
    );
  }
});

test("a number field takes what people type and refuses the rest without losing it", async ({ open }) => {
  const page = await open();
  const { text, problem, source, reset } = field(page, "itl");
  for (const [typed, speed] of [["20", "50.0 tok/s"], ["12,5", "80.0 tok/s"], ["1.2s", "0.833 tok/s"], ["250 us", "4000 tok/s"]]) {
    await text.fill(typed);
    await figureIs(page, "speed", speed);
    assert.equal(await text.inputValue(), typed, "what is typed stays while it is being typed");
    await text.press("Enter");
  }
  for (const nonsense of ["-", "fast", "1e9", "17 GB/s"]) {
    await text.fill(nonsense);
    assert.equal(await problem.textContent(), "expected a number from 0.05 to 5000 ms");
    assert.equal(await text.getAttribute("aria-invalid"), "true");
    assert.equal(await text.inputValue(), nonsense);
    // Leaving it goes back to what was in force before, and the reason stays.
    await text.press("Enter");
    assert.equal(await text.inputValue(), "0.25");
    await figureIs(page, "speed", "4000 tok/s");
    assert.equal(await problem.textContent(), "expected a number from 0.05 to 5000 ms");
  }
  await text.fill("9");
  await text.press("Escape");
  await figureIs(page, "speed", "4000 tok/s");
  assert.equal(await problem.textContent(), "");
  assert.equal(await source.textContent(), "typed");
  await reset.click();
  assert.equal(await source.textContent(), "measured");
  await figureIs(page, "speed", "57.5 tok/s");
});

test("the caret stays where a person types, and an emptied field goes back to what is looked up", async ({ open }) => {
  const page = await open();
  const { text, source } = field(page, "itl");
  await text.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("20", { delay: 30 });
  await page.keyboard.press("Home");
  await page.keyboard.type("1", { delay: 30 });
  await page.keyboard.type(",", { delay: 30 });
  assert.equal(await text.inputValue(), "1,20");
  await figureIs(page, "speed", "833 tok/s");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await figureIs(page, "speed", "57.5 tok/s");
  assert.equal(await text.inputValue(), "");
  assert.equal(await source.textContent(), "measured");
  await page.keyboard.press("Tab");
  assert.equal(await text.inputValue(), "17.391");
});

test("why a number was refused stays beside the old one until it is dismissed", async ({ open }) => {
  const page = await open();
  const { text, problem, reset } = field(page, "tp");
  for (const dismiss of [() => text.press("Escape"), () => reset.click()]) {
    await text.fill("many");
    await text.press("Enter");
    assert.equal(await text.inputValue(), "8");
    assert.match(await problem.textContent(), /expected a whole number/);
    await dismiss();
    assert.equal(await problem.textContent(), "");
  }
});

test("a slider takes over from what could not be read", async ({ open }) => {
  const page = await open();
  const { text, slider, problem } = field(page, "itl");
  await text.fill("fast");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await text.inputValue(), "17.5");
  assert.equal(await problem.textContent(), "");
  assert.equal(await text.getAttribute("aria-invalid"), "false");
});

test("a list shows what undo brought back", async ({ open }) => {
  const page = await open();
  const shown = (selector) => page.locator(selector).inputValue();
  const undo = page.getByRole("button", { name: "Undo" });
  for (const [selector, other] of [["#gpu", "h100-sxm"], ["#model", "qwen3-8b"]]) {
    const before = await shown(selector);
    await choose(page, selector, other);
    assert.notEqual(await shown(selector), before);
    await undo.click();
    assert.equal(await shown(selector), before);
  }
});

test("undo and redo, by key and by button; a drag is one step", async ({ open }) => {
  const page = await open();
  const { slider, text } = field(page, "layers");
  await slider.evaluate((element) => {
    for (const place of [300, 320, 340, 360]) {
      element.value = place;
      element.dispatchEvent(new Event("input", { bubbles: true }));
    }
    element.dispatchEvent(new Event("change", { bubbles: true }));
  });
  assert.notEqual(await text.inputValue(), "78");
  await page.locator("h1").click();
  await page.keyboard.press("Control+z");
  assert.equal(await text.inputValue(), "78");
  await page.getByRole("button", { name: "Redo" }).click();
  assert.notEqual(await text.inputValue(), "78");
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await text.inputValue(), "78");
  assert.ok(await page.getByRole("button", { name: "Undo" }).isDisabled());
});

test("the link restores everything, in another browser too", async ({ open }) => {
  const page = await open();
  await field(page, "tp").text.fill("4");
  await field(page, "arx").text.fill("2");
  await page.locator('input[name="estimate"][value="stated-share"]').check({ force: true });
  const hash = await addressSettles(page);
  assert.match(hash, /^#v=1&model=glm-5&gpu=rtx-pro-6000/);
  assert.match(hash, /estimate=stated-share/);
  const shown = await figures(page);
  await page.reload();
  await page.waitForSelector("canvas");
  assert.deepEqual(await figures(page), shown);
  const other = await open({ hash: hash.slice(1) });
  await other.waitForSelector("canvas");
  assert.deepEqual(await figures(other), shown);
  assert.equal(await field(other, "tp").text.inputValue(), "4");
});

test("the link carries a pasted dump and a pasted configuration", async ({ open }) => {
  const page = await open();
  await paste(page, "vllm:inter_token_latency_seconds_count 10\nvllm:inter_token_latency_seconds_sum 0.2\n");
  await figureIs(page, "speed", "50.0 tok/s");
  await paste(page, JSON.stringify({ model_type: "llama", hidden_size: 4096, num_hidden_layers: 40, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 14336, vocab_size: 128256 }));
  await figureIs(page, "layer", "500 µs");
  const shown = await figures(page);
  const other = await open({ hash: (await addressSettles(page)).slice(1) });
  assert.deepEqual(await figures(other), shown);
  assert.equal(await other.locator("#model").inputValue(), "llama");
});

test("a page left in the middle of a change has it in its address", async ({ open }) => {
  const page = await open();
  await field(page, "itl").text.fill("10");
  await page.goto("about:blank");
  await page.goBack();
  await figureIs(page, "speed", "100 tok/s");
});

test("the JSON that is saved is what the page shows", async ({ open }) => {
  const page = await open();
  await field(page, "itl").text.fill("10");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save JSON" }).click();
  const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
  assert.equal(saved.tokens_per_second, 100);
  assert.equal(saved.allreduces_per_token, 156);
});

test("copy link copies what is on the page now", async ({ open }) => {
  const page = await open();
  await field(page, "reply").text.fill("1000");
  await page.click("#copy-link");
  await page.getByText("Link copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /\/some\/sub\/path\/#v=1&.*reply=1000/);
});

test("copy as Markdown copies the report with its link", async ({ open }) => {
  const page = await open();
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await page.getByText("Report copied.").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^# Decodescope: /);
  assert.match(text, /223 µs/);
});

test("a link that cannot be opened says why and shows the example", async ({ open }) => {
  const newer = await open({ hash: "v=99&model=glm-5" });
  await newer.getByText("newer than this tool's").waitFor();
  await figureIs(newer, "speed", "57.5 tok/s");
  const damaged = await open({ hash: "v=1&itl=fast" });
  await damaged.getByText("expected a number").waitFor();
});

test("going back after following a link restores the page before it", async ({ open }) => {
  const page = await open();
  await page.evaluate(() => (location.hash = "v=1&model=qwen3-8b&gpu=h100-sxm&itl=10"));
  await figureIs(page, "speed", "100 tok/s");
  await page.goBack();
  await figureIs(page, "speed", "57.5 tok/s");
});

test("New starts empty, and undo brings back what was there", async ({ open }) => {
  const page = await open();
  await page.getByRole("button", { name: "New" }).click();
  await page.locator(".origin").filter({ hasText: "No dump" }).waitFor();
  assert.equal(await page.locator("#gpu").inputValue(), "not known");
  assert.equal(await addressSettles(page), "#v=1");
  await page.getByRole("button", { name: "Undo" }).click();
  await figureIs(page, "speed", "57.5 tok/s");
});

test("another model or GPU is not what the worked example measured", async ({ open }) => {
  for (const [selector, name] of [["#gpu", "h100-sxm"], ["#model", "qwen3-8b"]]) {
    const page = await open();
    await choose(page, selector, name);
    await page.locator(".notice").filter({ hasText: "were of another system and are gone" }).waitFor();
    assert.notEqual(await field(page, "itl").source.textContent(), "measured");
    for (const key of ["shlow", "abslow", "cohigh"]) assert.equal(await field(page, key).text.inputValue(), "");
    assert.equal(await page.locator("#model").inputValue(), selector === "#model" ? "Qwen3-8B" : "GLM-5");
    await page.getByRole("button", { name: "Undo" }).click();
    await figureIs(page, "speed", "57.5 tok/s");
    assert.equal(await page.locator(".notice").textContent(), "");
  }
});

test("presses of arrow keys on one slider are one step back", async ({ open }) => {
  const page = await open();
  const { slider, text } = field(page, "save");
  await slider.focus();
  for (let presses = 0; presses < 10; presses++) await page.keyboard.press("ArrowRight");
  assert.equal(await text.inputValue(), "15");
  await page.keyboard.press("Control+z");
  assert.equal(await text.inputValue(), "10");
});

test("a link that was cut short says so", async ({ open }) => {
  const page = await open({ hash: "v=1&model=qwen3-8b&gpu=h100-sxm&ba" });
  await page.getByText("The link ends at “ba”, so it was cut short").waitFor();
});
