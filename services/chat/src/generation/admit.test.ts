import assert from "node:assert/strict";
import { test } from "node:test";
import type { Admission, AdmitRequest, Admitted } from "@uag/admission/types.ts";
import { parseCatalog } from "@uag/catalog/parse.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { admitGeneration } from "./admit.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models: [{ id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 100000, max_output_tokens: 1000,
  price: { input_tokens: 1, output_tokens: 10 }, upstreams: [{ provider: p }] }]`,
  {},
);
const model = catalog.models.get("m") ?? assert.fail();
const fields = { messages: [{ role: "user", content: "The quick brown fox jumps over the lazy dog. ".repeat(20) }] };
const request = {
  requestId: "r",
  caller: Caller.fromPartial({}),
  operation: "o",
  model: "m",
  priceVersion: "v",
  stream: false,
};

/** Admits what costs at most `available`. */
function admissionOf(
  available: bigint,
  options: { tells?: boolean; code?: "insufficient_balance" | "rate_limit_exceeded" } = {},
) {
  const asked: bigint[] = [];
  const admission = {
    async admit({ holdNanoUsd }: AdmitRequest): Promise<Admitted> {
      asked.push(holdNanoUsd);
      if (holdNanoUsd <= available) return {} as Admitted;
      const cause = options.tells === false ? undefined : { availableNanoUsd: available };
      throw new GatewayError(options.code ?? "insufficient_balance", undefined, { cause });
    },
  } as unknown as Admission;
  const admit = (outputCap?: number) =>
    admitGeneration(admission, request, { model, fields, bodyBytes: 1_000, candidates: 1, outputCap });
  return { admit, asked };
}
const refusedWith = (code: string) => (error: unknown) => error instanceof GatewayError && error.code === code;

test("what the balance covers is admitted by the quick bound", async () => {
  const { admit, asked } = admissionOf(11_000_000n);
  assert.equal((await admit()).affordableCap, undefined);
  assert.deepEqual(asked, [11_000_000n]);
});

test("what the quick bound overrates is admitted by the exact count", async () => {
  const { admit, asked } = admissionOf(1_300_000n);
  assert.equal((await admit(100)).affordableCap, undefined);
  assert.equal(asked.length, 2);
  assert.ok((asked[1] ?? 0n) < 1_300_000n && (asked[1] ?? 0n) > 1_200_000n, String(asked));
});

test("without a cap of its own an answer is capped at what the balance covers", async () => {
  const { admit, asked } = admissionOf(1_300_000n);
  const { affordableCap } = await admit();
  assert.ok(affordableCap !== undefined && affordableCap > 90 && affordableCap < 110, String(affordableCap));
  assert.ok((asked.at(-1) ?? 0n) <= 1_300_000n);
});

test("a client's own cap is never lowered, and nothing is capped to uselessness", async () => {
  await assert.rejects(admissionOf(1_000_000n).admit(500), refusedWith("insufficient_balance"));
  await assert.rejects(admissionOf(300_000n).admit(), refusedWith("insufficient_balance"));
  await assert.rejects(admissionOf(0n).admit(), refusedWith("insufficient_balance"));
  await assert.rejects(admissionOf(1_300_000n, { tells: false }).admit(), refusedWith("insufficient_balance"));
});

test("other refusals are final", async () => {
  const { admit, asked } = admissionOf(0n, { code: "rate_limit_exceeded" });
  await assert.rejects(admit(), refusedWith("rate_limit_exceeded"));
  assert.equal(asked.length, 1);
});
