// Of a GGUF file only the head is read; the files of a split model go together.
import assert from "node:assert/strict";
import { mkdtemp, open as openFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { session } from "./harness.mjs";
import { field } from "./page.mjs";

const { test } = session();

const TABLES = [["token_embd.weight", 256, 1024], ["output.weight", 256, 1024]];
const LAYER = [
  ...["q", "k", "v", "output"].map((name) => [`blk.0.attn_${name}.weight`, 256, 256]),
  ["blk.0.ffn_gate.weight", 256, 512], ["blk.0.ffn_up.weight", 256, 512], ["blk.0.ffn_down.weight", 512, 256],
];

/** The head of file `number` of `count` of a one-layer Llama whose matrices are Q8_0 (type 8, 8.5 bits). */
function head(number, count, tensors) {
  const parts = [Buffer.from("GGUF")];
  const u32 = (value) => parts.push(Buffer.from(Uint32Array.of(value).buffer));
  const u64 = (value) => parts.push(Buffer.from(BigUint64Array.of(BigInt(value)).buffer));
  const text = (value) => (u64(value.length), parts.push(Buffer.from(value)));
  const numbers = {
    "llama.block_count": 1, "llama.embedding_length": 256, "llama.feed_forward_length": 512,
    "llama.attention.head_count": 2, "llama.attention.head_count_kv": 2, "llama.vocab_size": 1024,
    "split.no": number, "split.count": count,
  };
  u32(3), u64(tensors.length), u64(Object.keys(numbers).length + 2);
  for (const [key, value] of [["general.architecture", "llama"], ["general.name", "Tiny"]]) text(key), u32(8), text(value);
  for (const [key, value] of Object.entries(numbers)) text(key), u32(4), u32(value);
  for (const [name, ...sizes] of tensors) text(name), u32(2), sizes.forEach(u64), u32(8), u64(0);
  return Buffer.concat(parts);
}

const bring = (page, ...files) => page.setInputFiles("input[type=file]", files);
const part = (number, count, tensors) => ({ name: `m-${number}.gguf`, mimeType: "", buffer: head(number, count, tensors) });

test("a GGUF file of any size sets the model and its bits from its head", async ({ open }) => {
  const folder = await mkdtemp(join(tmpdir(), "decodescope-"));
  try {
    const path = join(folder, "tiny.gguf");
    const file = await openFile(path, "w");
    await file.write(head(0, 1, [...TABLES, ...LAYER]));
    // Larger than any dump that is read; the file system keeps no zeros.
    await file.truncate(700 * 2 ** 20);
    await file.close();
    const page = await open({ hash: "v=1" });
    await page.setInputFiles("input[type=file]", path);
    await page.locator(".notice").filter({ hasText: "Model set from its GGUF head: Tiny, weights in GGUF, mostly Q8_0" }).waitFor();
    assert.equal(await field(page, "wbits").text.inputValue(), "8.5");
    assert.equal(await field(page, "layers").text.inputValue(), "1");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a split GGUF model is taken whole or not at all", async ({ open }) => {
  const page = await open({ hash: "v=1" });
  await bring(page, part(0, 2, TABLES));
  await page.locator(".notice").filter({ hasText: "split into 2 files, of which missing: 2; bring its files together" }).waitFor();
  await bring(page, part(1, 2, LAYER), part(0, 2, TABLES));
  await page.locator(".notice").filter({ hasText: "Model set from its GGUF head: Tiny" }).waitFor();
  assert.equal(await field(page, "wbits").text.inputValue(), "8.5");
});
