// What is not Rust, for src/main.rs: node others.mjs FILE [MODULE]
// Prints a line `MB/s<tab>samples or families<tab>name` for the npm peer and for our own reader as a WebAssembly module.
import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";

const [file, wasm] = process.argv.slice(2);
const bytes = await readFile(file);

/** The best of many runs within a second and a half. */
function measure(name, run) {
  const started = performance.now();
  let [best, result] = [Infinity, 0];
  do {
    const from = performance.now();
    result = run();
    best = Math.min(best, performance.now() - from);
  } while (performance.now() - started < 1500);
  console.log(`${bytes.length / 1e3 / best}\t${result}\t${name}`);
}

if (wasm) {
  const module = await WebAssembly.compile(await readFile(wasm));
  // It imports what a page would give it, and needs none of it to read a text.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { memory, room, samples } = (await WebAssembly.instantiate(module, imports)).exports;
  const start = room(bytes.length);
  new Uint8Array(memory.buffer, start, bytes.length).set(bytes);
  measure("decodescope in WebAssembly", () => samples(start, bytes.length));
}
try {
  const { default: parse } = await import("parse-prometheus-text-format");
  const text = bytes.toString();
  measure("parse-prometheus-text-format 1.1.1 (npm)", () => parse(text).length);
} catch (error) {
  console.error(`parse-prometheus-text-format: ${error.message}`);
}
