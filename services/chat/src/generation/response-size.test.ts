import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { acceptedBytes, checkResponseSize, fittingCap } from "./response-size.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - { id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 100000, max_output_tokens: 32768,
      price: { input_tokens: 1, output_tokens: 10 }, upstreams: [{ provider: p }] }`,
  {},
);
const model = catalog.models.get("m") ?? assert.fail();
const maxBytes = 64 * 1024 * 1024;
const ranked = { logprobs: true, top_logprobs: 20 };

/** The refusal of a request with these fields; undefined when it is accepted. */
function refusal(fields: Readonly<Record<string, unknown>>, { candidates = 1, stream = false } = {}) {
  const outputCap = typeof fields["max_tokens"] === "number" ? fields["max_tokens"] : undefined;
  try {
    checkResponseSize({ fields, candidates, outputCap, stream }, model);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.httpStatus === 400);
    return error;
  }
}

test("refuses a request whose response could exceed the limit, and names what to lower", () => {
  const error = refusal({ ...ranked, max_tokens: 4_096, n: 16 }, { candidates: 16 });
  assert.equal(error?.param, "n");
  assert.match(
    error?.message ?? "",
    /^n: .*Lower n or top_logprobs or max_tokens, or set stream to true.*largest max_tokens is 779/,
  );
  assert.equal(refusal({ ...ranked, max_tokens: 32_768 })?.param, "top_logprobs");
});

test("accepts the same request as a stream, with less output, or without log probabilities", () => {
  assert.equal(refusal({ ...ranked, max_tokens: 4_096 }, { candidates: 16, stream: true }), undefined);
  assert.equal(refusal({ ...ranked, max_tokens: 779 }, { candidates: 16 }), undefined);
  assert.equal(refusal({ max_tokens: 32_768 }, { candidates: 32 }), undefined);
});

test("refuses a request whose text alone could take too long to parse", () => {
  assert.match(refusal({ max_tokens: 8_193 }, { candidates: 128 })?.message ?? "", /^n: .*largest max_tokens is 8192/);
  assert.equal(refusal({ max_tokens: 8_192 }, { candidates: 128 }), undefined);
});

test("caps the output of a request without a cap of its own at what fits", () => {
  const shape = { model, fields: ranked, candidates: 16, outputCap: undefined };
  assert.equal(fittingCap(shape, false), 779);
  assert.equal(fittingCap(shape, true), undefined);
  assert.equal(fittingCap({ ...shape, fields: {} }, false), undefined);
  assert.equal(refusal({ ...ranked }, { candidates: 16 }), undefined);
});

test("accepts as many bytes of a response as its request can produce", () => {
  const shape = { model, fields: {}, candidates: 1, outputCap: 100 };
  assert.ok(acceptedBytes(shape) < maxBytes / 2);
  assert.ok(acceptedBytes({ ...shape, fields: ranked, outputCap: 5_000 }) > acceptedBytes(shape));
  assert.equal(acceptedBytes({ ...shape, fields: ranked, candidates: 16, outputCap: 32_768 }), maxBytes);
});
