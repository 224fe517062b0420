import assert from "node:assert/strict";
import type { Protocol } from "@uag/catalog/types";
import type { EmbeddingCall } from "../src/embeddings/types.ts";
import type { FailureKind } from "../src/failure.ts";
import { adapterFor } from "../src/registry.ts";
import { firstUpstream, testModel } from "./support.ts";

const traits = { dimensions: 4, sizes: "any", tokenInput: false } as const;
/** Two texts. */
export const base: EmbeddingCall = {
  requestId: "req_1",
  traits,
  inputs: ["a", "b"],
  dimensions: undefined,
  inputType: undefined,
};

/** The call that an upstream gets for it, encoded. */
export function spoken(protocol: Protocol, more: Partial<EmbeddingCall> = {}, upstreamFields = {}) {
  const upstream = { ...firstUpstream(testModel("", protocol)), ...upstreamFields };
  const adapter = adapterFor("embeddings", protocol) ?? assert.fail();
  const { path, headers, body } = adapter.encode({ ...base, ...more }, upstream);
  return { path, headers, body: JSON.parse(body.toString()), adapter, upstream };
}

/** The failure kind for a bad status and its body, and the provider's message. */
export function failureOf(protocol: Protocol, status: number, body: unknown): [FailureKind, string | undefined] {
  const { adapter, upstream } = spoken(protocol);
  const bytes = Buffer.from(JSON.stringify(body));
  const failure = adapter.failureOf({ status, header: () => undefined, body: bytes }, upstream);
  return [failure.kind, failure.reported?.message];
}

/** The tokens and the raw usage of a response with one vector. */
export function usageIn(protocol: Protocol, response: string): (string | number)[] | undefined {
  const { adapter, upstream } = spoken(protocol);
  const { usage } = adapter.decode(Buffer.from(response), { ...base, inputs: ["a"] }, upstream, () => undefined);
  return usage && [usage.tokens, usage.raw.toString()];
}
