// The README's picture, taken from the running release page: node tests/e2e/screenshot.mjs (after make build).
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const PICTURE = fileURLToPath(new URL("../../docs/screenshot.png", import.meta.url));

const server = await serve(DIST, "/");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme: "light" });
await page.goto(server.url);
await page.waitForSelector("canvas");
await page.waitForTimeout(500);
await page.screenshot({ path: PICTURE });
await browser.close();
await server.close();
