// What a person brings: pasted, dropped or chosen; read whole, or refused with the reason.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { drop, paste, session } from "./harness.mjs";
import { choose, chosen, example, field, figureIs, figures, pasteDump, realDump, realDumps } from "./page.mjs";

const { test } = session();

/** A small dump of one engine: count observations of so many seconds each. */
const engine = (number, model, count, seconds) => `\
vllm:inter_token_latency_seconds_bucket{engine="${number}",le="0.025",model_name="${model}"} ${count}
vllm:inter_token_latency_seconds_bucket{engine="${number}",le="+Inf",model_name="${model}"} ${count}
vllm:inter_token_latency_seconds_count{engine="${number}",model_name="${model}"} ${count}
vllm:inter_token_latency_seconds_sum{engine="${number}",model_name="${model}"} ${count * seconds}
`;

test("the bundled dump, pasted into the field, is read at once", async ({ open }) => {
  const page = await open();
  await pasteDump(page, engine("0", "m", 10, 0.02));
  await figureIs(page, "speed", "50.0 tok/s");
  await pasteDump(page, await example());
  await figureIs(page, "speed", "57.5 tok/s");
  assert.match(await page.locator(".outcome").textContent(), /pasted text: \d+ samples of \d+ metrics read/);
});

test("a paste anywhere on the page is read", async ({ open }) => {
  const page = await open();
  await paste(page, engine("0", "m", 10, 0.02));
  await figureIs(page, "speed", "50.0 tok/s");
});

test("a dropped file and a chosen file are read", async ({ open }) => {
  const page = await open();
  await drop(page, "first.txt", engine("0", "m", 10, 0.02));
  await figureIs(page, "speed", "50.0 tok/s");
  assert.match(await page.locator(".origin").textContent(), /first\.txt/);
  await page.setInputFiles("input[type=file]", {
    name: "second.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(engine("0", "m", 10, 0.01)),
  });
  await figureIs(page, "speed", "100 tok/s");
});

test("the button for files opens the browser's list of files", async ({ open }) => {
  const page = await open();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose a file" }).click()]);
  await chooser.setFiles({ name: "metrics.txt.gz", mimeType: "application/gzip", buffer: gzipSync(engine("0", "m", 10, 0.02)) });
  await figureIs(page, "speed", "50.0 tok/s");
  assert.match(await page.locator(".origin").textContent(), /metrics\.txt\.gz/);
});

test("a dump that names no model and little else is told in plain words", async ({ open }) => {
  const page = await open();
  await paste(page, "go_goroutines 7\n");
  await page.locator(".outcome.failed").filter({ hasText: "1 sample read, nothing usable" }).waitFor();
  await paste(page, "vllm:inter_token_latency_seconds_sum 0.2\nvllm:inter_token_latency_seconds_count 10\n");
  await figureIs(page, "speed", "50.0 tok/s");
  assert.match(await page.locator(".outcome").textContent(), /2 samples of 1 metric read$/);
  assert.match(await page.locator(".origin").textContent(), /serving a model it does not name$/);
});

test("what is pasted into a number field stays there", async ({ open }) => {
  const page = await open();
  await page.evaluate((text) => navigator.clipboard.writeText(text), "20 ms");
  await field(page, "itl").text.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
  await figureIs(page, "speed", "50.0 tok/s");
  assert.equal(await page.locator(".outcome").textContent(), "");
});

// Whatever a server printed, the page stands, and shows no number that is none.
test("every real dump is read or refused with a reason", async ({ open, context }) => {
  const dumps = await realDumps();
  if (!dumps.length) return context.skip("no dumps are beside the checkout");
  const page = await open();
  let read = 0;
  for (const [name, text] of dumps) {
    await drop(page, name, text);
    await page.locator(".outcome").filter({ hasText: name.slice(2) }).waitFor();
    const outcome = await page.locator(".outcome").textContent();
    const failed = await page.locator(".outcome.failed").count();
    if (failed) assert.ok(await page.locator(".remarks li").count(), `${name}: ${outcome}`);
    else read += 1;
    const shown = await page.locator(".answer, .outlook, .cards").allTextContents();
    for (const nonsense of [/\bNaN\b/, /\binf(inity)?\b/i, /undefined/]) assert.doesNotMatch(shown.join("\n"), nonsense, name);
  }
  context.diagnostic(`${read} of ${dumps.length} dumps read, the others refused`);
});

test("a real dump gives its own figures", async ({ open, context }) => {
  const dump = await realDump("09-ray-serve-vllm-v0-first-part.txt");
  if (!dump) return context.skip("the dump is not beside the checkout");
  const page = await open();
  await pasteDump(page, dump);
  // 16.178537607192993 s / 299 = 54.1 ms = 18.5 tok/s, of Llama-3.1-70B.
  await figureIs(page, "speed", "18.5 tok/s");
  assert.equal((await figures(page)).layer.value, "676 µs");
  assert.match(await page.locator(".remarks").last().textContent(), /90/);
});

test("files chosen together are servers side by side", async ({ open }) => {
  const page = await open();
  const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.setInputFiles("input[type=file]", [
    file("a.txt", engine("0", "m", 10, 0.01)),
    file("b.txt", engine("1", "m", 30, 0.02)),
    file("c.txt", ""),
  ]);
  await figureIs(page, "speed", "57.1 tok/s");
  assert.match(await page.locator(".origin").textContent(), /a\.txt, b\.txt/);
});

test("a second paste into the field replaces the first", async ({ open }) => {
  const page = await open();
  await pasteDump(page, engine("0", "m", 10, 0.01));
  await figureIs(page, "speed", "100 tok/s");
  await page.evaluate((text) => navigator.clipboard.writeText(text), engine("5", "m", 10, 0.02));
  await page.focus("#dump");
  await page.keyboard.press("Control+v");
  await figureIs(page, "speed", "50.0 tok/s");
  assert.equal(await page.locator("#selection").count(), 0);
});

test("a dump pasted while a number field has the focus is read", async ({ open }) => {
  const page = await open();
  await page.evaluate((text) => navigator.clipboard.writeText(text), engine("0", "m", 10, 0.02));
  await field(page, "tp").text.focus();
  await page.keyboard.press("Control+v");
  await figureIs(page, "speed", "50.0 tok/s");
});

test("what a person has set before pasting is kept", async ({ open }) => {
  const page = await open();
  await choose(page, "#model", "llama-3.1-8b");
  await choose(page, "#gpu", "h100-sxm");
  await field(page, "bw").text.fill("3000");
  await pasteDump(page, engine("0", "my-secret-model", 10, 0.02));
  await figureIs(page, "speed", "50.0 tok/s");
  assert.equal(await chosen(page, "#model"), "llama-3.1-8b");
  assert.equal(await chosen(page, "#gpu"), "h100-sxm");
  assert.equal(await field(page, "bw").text.inputValue(), "3000");
  // Another model served: what was known of the old one says nothing of it.
  await pasteDump(page, engine("0", "another-secret", 10, 0.01));
  await figureIs(page, "speed", "100 tok/s");
  assert.equal(await chosen(page, "#model"), "");
});

test("several engines are together until one is picked", async ({ open }) => {
  const page = await open();
  await pasteDump(page, engine("0", "m", 10, 0.01) + engine("1", "m", 30, 0.02));
  // (10 × 10 ms + 30 × 20 ms) / 40 = 17.5 ms
  await figureIs(page, "speed", "57.1 tok/s");
  await page.selectOption("#selection", { label: "m, engine 1" });
  await figureIs(page, "speed", "50.0 tok/s");
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await page.locator("#selection").evaluate((list) => list.selectedOptions[0].text), "all together");
  await figureIs(page, "speed", "57.1 tok/s");
});

test("what is not metrics leaves the page as it was and says why", async ({ open }) => {
  const page = await open();
  await pasteDump(page, "dear diary\n{]\n");
  await page.locator(".outcome.failed").waitFor();
  assert.match(await page.locator(".outcome").textContent(), /not metrics text; what was on the page stays/);
  assert.match(await page.locator(".remarks").last().textContent(), /[Ll]ine 1/);
  await figureIs(page, "speed", "57.5 tok/s");
});

test("a dump cut in the middle of a line still counts, and the line is named", async ({ open }) => {
  const page = await open();
  const whole = engine("0", "m", 10, 0.02);
  await pasteDump(page, `${whole}vllm:generation_tokens_total{engine="0",mod`);
  await figureIs(page, "speed", "50.0 tok/s");
  assert.match(await page.locator(".remarks").last().textContent(), /[Ll]ine 5/);
});

test("a dump without times keeps nothing of the example's", async ({ open }) => {
  const page = await open();
  await pasteDump(page, engine("0", "Qwen/Qwen3-8B", 10, 0.02));
  await figureIs(page, "speed", "50.0 tok/s");
  assert.equal(await field(page, "layers").text.inputValue(), "36");
  assert.equal(await field(page, "abslow").text.inputValue(), "");
  assert.match(await page.locator(".next").textContent(), /hardware is still the worked example's/);
  // Choosing the GPU settles one half of that, their number the other.
  await choose(page, "#gpu", "h100-sxm");
  await page.waitForFunction(() => document.querySelector(".next").textContent.includes("How many GPUs there are"));
  await field(page, "gpus").text.fill("2");
  assert.equal(await field(page, "tp").text.inputValue(), "2");
  await page.waitForFunction(() => !document.querySelector(".next").textContent.includes("worked example"));
});

test("a model's configuration sets the model", async ({ open }) => {
  const page = await open();
  const config = { model_type: "llama", hidden_size: 4096, num_hidden_layers: 40, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 14336, vocab_size: 128256 };
  await pasteDump(page, JSON.stringify(config, null, 2));
  await page.locator(".notice").filter({ hasText: "Model set from its configuration" }).waitFor();
  assert.equal(await field(page, "layers").text.inputValue(), "40");
  assert.match(await page.locator(".figure[data-figure=layer] dt").textContent(), /Each of 40 layers/);
});

/** A scrape of one server: so many outputs in so many seconds. */
const scrape = (count, sum) =>
  `vllm:inter_token_latency_seconds_count{model_name="m"} ${count}\nvllm:inter_token_latency_seconds_sum{model_name="m"} ${sum}\n`;

test("a later scrape of the same server can be looked at alone or since the start", async ({ open }) => {
  const page = await open();
  await pasteDump(page, scrape(1000, 50));
  await figureIs(page, "speed", "20.0 tok/s");
  await pasteDump(page, scrape(1500, 60));
  // 60 s / 1500 = 40 ms since the start; 10 s / 500 = 20 ms between the two.
  await figureIs(page, "speed", "25.0 tok/s");
  await page.getByText("between the scrapes").click();
  await figureIs(page, "speed", "50.0 tok/s");
  await page.getByText("since the server started").click();
  await figureIs(page, "speed", "25.0 tok/s");
  // Another server is no later scrape.
  await pasteDump(page, engine("0", "other", 10, 0.01));
  await figureIs(page, "speed", "100 tok/s");
  assert.equal(await page.getByText("between the scrapes").count(), 0);
});

test("one text that holds two scrapes shows what happened between them", async ({ open }) => {
  const page = await open();
  await pasteDump(page, scrape(1000, 50) + scrape(1500, 60));
  await figureIs(page, "speed", "50.0 tok/s");
});

/** A scrape of a server that started then: so many outputs of so many seconds each. */
const started = (at, count, seconds) => `process_start_time_seconds ${at}\n${scrape(count, count * seconds)}`;
// 33,000 outputs of 20 ms; after a restart 100 of 10 ms.
const before = started(1.7e9, 33000, 0.02);
const after = started(1.7e9 + 1e5, 100, 0.01);
const takenFor = (page) => page.locator(".taken-for").textContent();

test("a restart between two scrapes is noticed, whichever comes first", async ({ open }) => {
  for (const [first, second, speed, told] of [
    [before, after, "100 tok/s", /^Taken for 2 scrapes of one server, by model and engine; it restarted in between\.$/],
    [after, before, "50.0 tok/s", /it restarted in between; put in order of time\.$/],
  ]) {
    const page = await open();
    await pasteDump(page, first);
    await pasteDump(page, second);
    await figureIs(page, "speed", speed);
    assert.match(await takenFor(page), told);
    await page.getByText("between the scrapes").click();
    await figureIs(page, "speed", "100 tok/s");
    assert.match(await page.locator(".remarks").last().textContent(), /restarted between the two scrapes/);
  }
});

test("two scrapes of one server in one text or two files are compared, and a person may say that they are two servers", async ({ open }) => {
  const page = await open();
  await pasteDump(page, after + before);
  await figureIs(page, "speed", "100 tok/s");
  const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.setInputFiles("input[type=file]", [file("b.txt", before), file("c.txt", after)]);
  await page.locator(".origin").filter({ hasText: "b.txt → c.txt" }).waitFor();
  await figureIs(page, "speed", "100 tok/s");
  await page.getByText("as 2 servers, added up").click();
  // (33,000 × 20 ms + 100 × 10 ms) / 33,100 = 19.97 ms
  await figureIs(page, "speed", "50.1 tok/s");
  // Replicas of one deployment start within a minute.
  await page.setInputFiles("input[type=file]", [file("a.txt", started(1.7e9, 10, 0.01)), file("b.txt", started(1.7e9 + 9, 30, 0.02))]);
  await figureIs(page, "speed", "57.1 tok/s");
  assert.match(await takenFor(page), /^Taken for 2 servers/);
});

test("a configuration names its model where one is known, and what was refused before it is forgotten", async ({ open }) => {
  const page = await open();
  await pasteDump(page, "dear diary\n");
  await page.locator(".outcome.failed").waitFor();
  const config = { model_type: "llama", hidden_size: 4096, num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 14336, vocab_size: 128256 };
  await pasteDump(page, JSON.stringify(config, null, 2));
  await page.locator(".notice").filter({ hasText: "Model set from its configuration: Llama-3.1-8B" }).waitFor();
  assert.equal(await page.locator(".outcome").textContent(), "");
  assert.equal(await field(page, "layers").source.textContent(), "configuration");
});

test("the sample is read at once", async ({ open }) => {
  const page = await open({ hash: "v=1" });
  await page.getByRole("button", { name: "Sample" }).click();
  await figureIs(page, "speed", "57.5 tok/s");
});

// NVFP4: 4 bits and a scale of 8 for each 16 weights.
test("a hf_quant_config.json is of the model that is set, or of the configuration it comes with", async ({ open }) => {
  const quantisation = JSON.stringify({ quantization: { quant_algo: "NVFP4", group_size: 16, kv_cache_quant_algo: "FP8", exclude_modules: ["lm_head"] } });
  const config = { model_type: "llama", hidden_size: 4096, num_hidden_layers: 40, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 14336, vocab_size: 128256 };
  const page = await open({ hash: "v=1" });
  await paste(page, quantisation);
  await page.locator(".notice").filter({ hasText: "choose the model first" }).waitFor();
  const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  await page.setInputFiles("input[type=file]", [file("hf_quant_config.json", quantisation), file("config.json", JSON.stringify(config))]);
  await page.locator(".notice").filter({ hasText: "as its own file says" }).waitFor();
  assert.equal(await field(page, "layers").text.inputValue(), "40");
  assert.equal(await field(page, "wbits").text.inputValue(), "4.5");
  assert.equal(await field(page, "kvbits").text.inputValue(), "8");
});
