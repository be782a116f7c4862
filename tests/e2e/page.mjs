// How a test speaks of the page: what a person sees and does, by name.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The worked example's dump, as the engine bundles it. */
export const example = () => readFile(new URL("../../src/scenario/example.txt", import.meta.url), "utf8");

// Real dumps are no part of the repository.
const DUMPS = `${process.env.DECODESCOPE_SHARED_DATA || fileURLToPath(new URL("../../../shared/data", import.meta.url))}/dumps/`;

/** The text of a real dump; undefined where it is absent. */
export const realDump = async (name) => (existsSync(DUMPS + name) ? readFile(DUMPS + name, "utf8") : undefined);

/** All real dumps that are there, as [name, text]. */
export async function realDumps() {
  const names = existsSync(DUMPS) ? (await readdir(DUMPS)).sort() : [];
  return Promise.all(names.map(async (name) => [name, await realDump(name)]));
}

/** The key figures as {key: {value, note}}. */
export const figures = (page) =>
  page.$$eval(".figure", (all) =>
    Object.fromEntries(
      all.map((one) => [
        one.dataset.figure,
        { value: one.querySelector(".value").textContent, note: one.querySelector(".note").textContent },
      ]),
    ),
  );

/** Wait until the key figure `key` reads `value` (a string or a RegExp). */
export async function figureIs(page, key, value) {
  const pattern = value instanceof RegExp ? value : new RegExp(`^${value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  const locator = page.locator(`.figure[data-figure="${key}"] .value`);
  for (let tries = 0; ; tries++) {
    const text = await locator.textContent();
    if (pattern.test(text)) return;
    if (tries === 100) assert.match(text, pattern, `the figure ${key}`);
    await page.waitForTimeout(50);
  }
}

/** The number field with this key, and its slider, message and way back. */
export const field = (page, key) => ({
  text: page.locator(`#field-${key}`),
  slider: page.locator(`.field:has(#field-${key}) .slider`),
  problem: page.locator(`#problem-${key}`),
  reset: page.locator(`.field:has(#field-${key}) .reset`),
  source: page.locator(`.field:has(#field-${key}) .source`),
});

/** Put text into the dump field as a paste does. */
export async function pasteDump(page, text) {
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.fill("#dump", "");
  await page.focus("#dump");
  await page.keyboard.press("Control+v");
}

/** Wait until the address holds what the page shows: it follows with a delay. */
export async function addressSettles(page) {
  let before;
  for (let now = await page.evaluate(() => location.hash); now !== before; now = await page.evaluate(() => location.hash)) {
    before = now;
    await page.waitForTimeout(600);
  }
  return before;
}

/** Choose in a searchable list: type a name, take the first that has it. Nothing typed is the choice "not known". */
export async function choose(page, selector, name) {
  await page.locator(`details:not([open]):has(${selector}) > summary`).evaluateAll((all) => all.forEach((one) => one.click()));
  await page.fill(selector, name);
  if (!name) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

/** The key of what is chosen in a searchable list. */
export const chosen = (page, selector) => page.locator(selector).getAttribute("data-key");
