// What every end-to-end test stands on. A new test is a file called *.test.mjs beside this one:
//
//   import { session } from "./harness.mjs";
//   import assert from "node:assert/strict";
//
//   const { test } = session();
//
//   test("the link carries the scenario", async ({ open }) => {
//     const page = await open({ hash: "v=1&tp=4" });
//     assert.equal(await page.locator("#tp").inputValue(), "4");
//   });
//
// A test fails, whatever else it asserts, when a page that it opened wrote an error to the console, threw, violated
// its Content-Security-Policy, failed to get a file, or asked any other host for anything.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { after, before, test as nodeTest } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

/** The folder of the release page. */
export const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const OUTPUT = fileURLToPath(new URL("./output/", import.meta.url));
const DATA = fileURLToPath(new URL("../", import.meta.url));

// The later ones keep screenshots alike from machine to machine.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
  "--disable-lcd-text",
  "--hide-scrollbars",
];

/**
 * One browser and one server for the tests of a file. `path` is where the page is served: never the root, so that an
 * address which only works at the root is found out.
 *
 * Gives { test, site }: `test(name, async ({ open, site }) => …)` as in node:test, and `site().url`.
 */
export function session({ path = "/some/sub/path/", folder = DIST } = {}) {
  let browser;
  let server;
  before(async () => {
    server = await serve(folder, path);
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      headless: true,
      args: FLAGS,
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const site = () => server;

  const test = (name, body) =>
    nodeTest(name, { timeout: 120_000 }, async (context) => {
      const opened = [];
      const open = (options) => openPage(browser, server, opened, options);
      let failed = true;
      try {
        await body({ open, site: server, context });
        failed = false;
      } finally {
        for (const entry of opened) {
          const { page } = entry;
          if (failed && !page.isClosed()) await screenshot(page, `failed ${name}`).catch(() => {});
          entry.closing = true; // What is still under way fails now, and may.
          await page.context().close();
        }
      }
      // Only now: a test that failed by itself should say why in its own words.
      for (const { problems } of opened) assert.deepEqual(problems, [], "the page had problems");
    });
  return { test, site };
}

/**
 * Open the page in a context of its own, wait until it runs, and note everything that goes wrong from then on.
 *
 * hash, query: appended to the address · width, height: of the window · theme: "light" or "dark", the system's ·
 * allow: a RegExp for problems that this test provokes · prepare: called with the page before it loads ·
 * boots: false for a page that is not meant to start · context: more of Playwright's context options.
 */
async function openPage(browser, server, opened, options = {}) {
  const { hash = "", query = "", width = 1280, height = 900, theme = "light", allow, prepare, boots = true } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    permissions: ["clipboard-read", "clipboard-write"],
    ...options.context,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const entry = { page, problems: [], closing: false };
  opened.push(entry);
  const note = (text) => {
    if (!entry.closing && !allow?.test(text)) entry.problems.push(text);
  };
  const origin = new URL(server.url).origin;
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("requestfailed", (request) => note(`failed request: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) note(`answer ${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin) note(`off the origin: ${url}`);
  });

  await prepare?.(page);
  await page.goto(`${server.url}${query}${hash && `#${hash}`}`);
  if (boots) await page.waitForSelector("#app > *");
  return page;
}

/** Save what `page` shows as tests/e2e/output/NAME.png, for looking at. */
export async function screenshot(page, name, options = {}) {
  await mkdir(OUTPUT, { recursive: true });
  await page.screenshot({ path: `${OUTPUT}${name.replace(/[^\w-]+/g, "-")}.png`, fullPage: true, ...options });
}

/** The path of a file in tests/, for example `data("fixtures/vllm.txt")`. */
export const data = (name) => `${DATA}${name}`;

/** Paste `text` as if the focus were in `selector`: what the clipboard would bring, without a real clipboard. */
export async function paste(page, text, selector = "body") {
  await page.locator(selector).evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** Drop a file called `name` with `text` in it on `selector`. */
export async function drop(page, name, text, selector = "body") {
  await page.locator(selector).evaluate(
    (element, [name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      for (const step of ["dragenter", "dragover", "drop"])
        element.dispatchEvent(new DragEvent(step, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

/** What axe-core finds wrong with the accessibility of `page`, one line per finding. */
export async function accessibility(page) {
  // Evaluated through the debugger, which the page's policy does not concern.
  await page.evaluate(await readFile(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}
