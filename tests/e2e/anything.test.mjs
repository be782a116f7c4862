// Anything a person may do, in any order: the page stands, and shows no number that is none.
import assert from "node:assert/strict";
import { paste, session } from "./harness.mjs";
import { choose, example, realDumps } from "./page.mjs";

const { test } = session();

/** The same sequence of numbers from 0 to 1 every time (mulberry32), so that a failure can be met again. */
function numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const SEED = Number(process.env.SEED ?? 1);
const ACTS = Number(process.env.ACTS ?? 150);
const TYPED = ["", "-", "0", "1", "1e-9", "1e9", "3", "17,39", "1.2s", "128k", "nonsense", "100", "0.5", "64", "NaN", "٣"];
const CONFIGURATION = JSON.stringify({ model_type: "llama", hidden_size: 1, num_hidden_layers: 1, num_attention_heads: 1, vocab_size: 1 });

test(`${ACTS} acts at random leave a page that stands`, async ({ open }) => {
  const page = await open();
  await page.waitForSelector("canvas");
  const random = numbers(SEED);
  const one = (list) => list[Math.floor(random() * list.length)];
  const keys = await page.$$eval(".field .number", (all) => all.map((one) => one.id.slice("field-".length)));
  const texts = [await example(), "no metrics", "{", CONFIGURATION, "vllm:inter_token_latency_seconds_sum 1e9\nvllm:inter_token_latency_seconds_count 1\n", ...(await realDumps()).map(([, text]) => text)];
  const acts = {
    slide: async () => {
      const [key, place] = [one(keys), one([0, 1000, Math.floor(random() * 1000)])];
      await page.locator(`.field:has(#field-${key}) .slider`).evaluate((slider, place) => {
        slider.value = place;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        slider.dispatchEvent(new Event("change", { bubbles: true }));
      }, place);
      return `${key} at ${place}`;
    },
    type: async () => {
      const [key, text] = [one(keys), one(TYPED)];
      await page.locator(`#field-${key}`).evaluate((field, text) => {
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("blur"));
      }, text);
      return `${key} = ${text}`;
    },
    choose: async () => {
      const selector = one(["#model", "#gpu"]);
      const value = one(["", "qwen3-8b", "glm", "h100", "my own", "zzz", "6000"]);
      await choose(page, selector, value);
      return `${selector} ${value}`;
    },
    estimate: async () => page.evaluate((which) => [...document.querySelectorAll("[name=estimate]")].at(which)?.click(), Math.floor(random() * 4)),
    press: async () => {
      const name = one(["Undo", "Redo", "Undo", "Example"]);
      await page.getByRole("button", { name, exact: true }).evaluate((button) => button.click());
      return name;
    },
    paste: async () => {
      const text = one(texts);
      await paste(page, text);
      await page.waitForTimeout(20);
      return text.slice(0, 60);
    },
    address: async () => {
      const hash = one(["", "v=1", "v=1&model=qwen3-8b", "v=1&gpu=h100-sxm&itl=5", "v=2", "v=1&dump=AAAA", "itl=1"]);
      await page.evaluate((hash) => (location.hash = hash), hash);
      return hash;
    },
  };
  const kinds = ["slide", "slide", "slide", "type", "type", "choose", "estimate", "press", "paste", "address"];
  const done = [];
  for (let act = 0; act < ACTS; act++) {
    const kind = one(kinds);
    done.push(`${kind} ${(await acts[kind]()) ?? ""}`);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const seen = await page.evaluate(() => ({
      panic: document.querySelector("#panic") !== null,
      text: [...document.querySelectorAll(".answer, .outlook, .cards")].map((one) => one.textContent).join("\n"),
      wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    }));
    const story = () => `seed ${SEED}: ${done.slice(-6).join(" → ")}`;
    assert.ok(!seen.panic, `stopped, ${story()}`);
    assert.doesNotMatch(seen.text, /.{0,60}(\bNaN\b|\binf(inity)?\b|undefined).{0,60}/i, story());
    assert.ok(!seen.wide, `scrolls sideways, ${story()}`);
  }
});
