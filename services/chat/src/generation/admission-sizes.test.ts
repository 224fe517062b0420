import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { noServerTools } from "@uag/providers/formats/server-tools";
import type { GenerationRequest } from "../format.ts";
import { quickSize, tighterSizes } from "./admission-sizes.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - &m { id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 100000, max_output_tokens: 1000,
      price: { input_tokens: 1, output_tokens: 10 }, upstreams: [{ provider: p }] }
  - { <<: *m, id: finer, tokenizer_margin: 1.55 }`,
  {},
);
const fields = { messages: [{ role: "user", content: "The quick brown fox jumps over the lazy dog. ".repeat(20) }] };

/** Tries the sizes of a request until one costs at most `available`; undefined when none does. */
async function admit(
  available: bigint,
  {
    id = "m",
    outputCap,
    reports = true,
    lowersOutputCap = true,
  }: { id?: string; outputCap?: number; reports?: boolean; lowersOutputCap?: boolean } = {},
) {
  const model = catalog.models.get(id) ?? assert.fail();
  const request: GenerationRequest = {
    body: Buffer.alloc(1_000),
    fields,
    stream: false,
    usageWanted: false,
    candidates: 1,
    outputCap,
    serverTools: noServerTools,
  };
  const checked = { model, request, caller: { lowersOutputCap } };
  const first = quickSize(checked);
  const tried = [first.holdNanoUsd];
  if (first.holdNanoUsd <= available) return { size: first, tried };
  const shortage = { size: first, availableNanoUsd: reports ? available : undefined };
  for await (const size of tighterSizes(checked, shortage)) {
    tried.push(size.holdNanoUsd);
    if (size.holdNanoUsd <= available) return { size, tried };
  }
  return { size: undefined, tried };
}

test("admits a request by the quick bound if the balance covers it", async () => {
  const { size, tried } = await admit(11_000_000n);
  assert.equal(size?.sentCap, undefined);
  assert.deepEqual(tried, [11_000_000n]);
});

test("admits a request by the exact count if the quick bound is too high", async () => {
  const { size, tried } = await admit(1_300_000n, { outputCap: 100 });
  assert.ok(size !== undefined && size.sentCap === undefined);
  assert.equal(tried.length, 2);
  assert.ok((tried[1] ?? 0n) < 1_300_000n && (tried[1] ?? 0n) > 1_200_000n, String(tried));
});

test("caps a response without a client's cap at what the balance covers", async () => {
  const { size, tried } = await admit(1_300_000n);
  const cap = size?.sentCap ?? 0;
  assert.ok(cap > 90 && cap < 110, String(cap));
  assert.ok((tried.at(-1) ?? 0n) <= 1_300_000n);
});

test("caps nothing unless the account has set it", async () => {
  const { size, tried } = await admit(1_300_000n, { lowersOutputCap: false });
  assert.deepEqual([size, tried.length], [undefined, 2]);
});

test("never lowers a client's own cap, and never caps below a useful length", async () => {
  assert.equal((await admit(1_000_000n, { outputCap: 500 })).size, undefined);
  assert.equal((await admit(300_000n)).size, undefined);
  assert.equal((await admit(0n)).size, undefined);
  assert.equal((await admit(1_300_000n, { reports: false })).size, undefined);
});

test("the exact count includes a margin for the model's own tokenizer", async () => {
  const inputOf = async (id: string): Promise<number> =>
    Number((await admit(1_990_000n, { id, outputCap: 100 })).tried[1]) / 1_000 - 1_000;
  const [usual, finer] = [await inputOf("m"), await inputOf("finer")];
  const text = (usual - 32) / 1.15;
  assert.ok(text > 200 && Math.abs(finer - 32 - text * 1.55) < 2, `${usual}, ${finer}`);
});
