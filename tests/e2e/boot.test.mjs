// The release page starts, under its policy, wherever it is copied to; and says so when it cannot.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { DIST, accessibility, session } from "./harness.mjs";

const { test } = session();

test("the page boots under a sub-path and takes the progress text away", async ({ open, site }) => {
  const page = await open();
  assert.match(site.url, /\/some\/sub\/path\/$/);
  await page.waitForSelector("h1");
  await page.waitForSelector("#boot", { state: "detached" });
});

test("the policy is in the page, before anything that it governs", async ({ open }) => {
  const page = await open();
  const head = await page.evaluate(() =>
    [...document.head.children].map((element) => element.httpEquiv || element.tagName.toLowerCase()),
  );
  const policy = head.indexOf("Content-Security-Policy");
  assert.ok(policy >= 0 && policy < head.findIndex((name) => ["script", "link", "style"].includes(name)), `${head}`);
});

// Nothing pasted leaves the browser, and nothing that got into the page runs: not our word, the browser's.
test("the browser refuses other hosts, inline scripts and evaluation", async ({ open }) => {
  const page = await open({ allow: /Content Security Policy|127\.0\.0\.2/ });
  const refused = await page.evaluate(async () => {
    const directives = [];
    document.addEventListener("securitypolicyviolation", (event) => directives.push(event.effectiveDirective));
    await fetch("http://127.0.0.2:9/").catch(() => {});
    await new Promise((done) => {
      const image = new Image();
      image.onerror = done;
      image.src = "http://127.0.0.2:9/pixel.png";
    });
    const script = document.createElement("script");
    script.textContent = "globalThis.ran = true";
    document.head.append(script);
    const button = document.createElement("button");
    button.setAttribute("onclick", "globalThis.ran = true");
    document.body.append(button);
    button.click();
    await new Promise((done) => setTimeout(done, 100));
    return { directives, ran: globalThis.ran ?? false };
  });
  assert.deepEqual(refused, { directives: ["connect-src", "img-src", "script-src-elem", "script-src-attr"], ran: false });
});

test("a page that cannot get its code says so", async ({ open }) => {
  const page = await open({
    boots: false,
    allow: /./,
    prepare: (page) => page.route("**/*.wasm", (route) => route.abort()),
  });
  const message = page.getByRole("alert");
  await message.waitFor();
  assert.match(await message.textContent(), /could not start.*Reload/);
});

test("a browser without WebAssembly is told what is missing", async ({ open }) => {
  const page = await open({ boots: false, prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
  await page.getByText("does not run WebAssembly").waitFor();
});

// Someone unpacks a copy and double-clicks index.html.
test("a copy opened as a file is told to be served", async ({ open }) => {
  const page = await open({ boots: false, allow: /./ });
  await page.goto(new URL("index.html", `file://${DIST}`).href);
  await page.getByText("Serve this folder").waitFor();
});

test("without JavaScript the page says what it needs", async ({ open }) => {
  // The preloaded module is given up half-way, as nothing will run it.
  const page = await open({ boots: false, allow: /failed request.*js$/, context: { javaScriptEnabled: false } });
  const note = page.locator("noscript");
  assert.match(await note.textContent(), /needs JavaScript and WebAssembly/);
  assert.ok((await page.locator("#boot").boundingBox()).height > 20, "visible");
});

// A light flash before a dark page is what people remember of it.
test("a remembered theme is set before the body exists", async ({ open }) => {
  const page = await open({
    theme: "light",
    prepare: (page) =>
      page.addInitScript(() => {
        localStorage.setItem("decodescope.theme", "dark");
        new MutationObserver((_, observer) => {
          if (!document.body) return;
          globalThis.themeAtFirst = document.documentElement.dataset.theme;
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      }),
  });
  assert.equal(await page.evaluate(() => globalThis.themeAtFirst), "dark");
});

test("axe-core finds nothing inaccessible, in either theme", async ({ open }) => {
  for (const theme of ["light", "dark"]) assert.deepEqual(await accessibility(await open({ theme })), []);
});

// People open this over ssh tunnels and hotel networks. Raise the limit only with a reason. The last ones: the roofline and
// searchable lists (37 kB), 200 model types and the mixers they need (21 kB), reading in steps (17 kB),
// sentences for what cannot be, what waits and what is far from predicted (10 kB), every way that checkpoints declare their
// bits and GPUs multiply them (20 kB), mending of wrapped and logged text, restarts and order of scrapes (25 kB).
test("all that the page downloads stays below 790 kB compressed", async () => {
  let bytes = 0;
  for (const name of await readdir(DIST)) bytes += gzipSync(await readFile(DIST + name), { level: 9 }).length;
  assert.ok(bytes < 790_000, `${bytes} bytes`);
});
