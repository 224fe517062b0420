import assert from "node:assert/strict";
import { test } from "node:test";
import { operationName, providerName, tokensOf, usageAttributes } from "./gen-ai.ts";

const unit = (name: string, quantity: bigint) => ({ name, quantity });

test("usage attributes count cached tokens among the input and all output tokens as output", () => {
  const units = [
    unit("input_tokens", 10n),
    unit("cached_input_tokens", 100n),
    unit("cache_write_5m_tokens", 1_000n),
    unit("thinking_output_tokens", 7n),
    unit("images:1024x1024", 1n),
  ];
  assert.deepEqual(usageAttributes(units), {
    "gateway.usage.input_tokens": 10,
    "gateway.usage.cached_input_tokens": 100,
    "gateway.usage.cache_write_5m_tokens": 1_000,
    "gateway.usage.thinking_output_tokens": 7,
    "gateway.usage.images:1024x1024": 1,
    "gen_ai.usage.input_tokens": 1_110,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.usage.cache_read.input_tokens": 100,
    "gen_ai.usage.cache_creation.input_tokens": 1_000,
  });
  assert.equal(tokensOf([unit("video_seconds", 5n)]), undefined);
});

test("operations and providers have the names of OpenTelemetry's conventions, others their own", () => {
  assert.deepEqual(["messages", "embed_content", "audio.speech", "toString"].map(operationName), [
    "chat",
    "embeddings",
    "audio.speech",
    "toString",
  ]);
  assert.deepEqual(["gemini", "vertex", "azure", "bedrock", "openai", "acme"].map(providerName), [
    "gcp.gemini",
    "gcp.vertex_ai",
    "azure.ai.openai",
    "aws.bedrock",
    "openai",
    "acme",
  ]);
});
