import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import type { Protocol } from "@uag/catalog/types";
import { firstUpstream, testModel } from "../test/support.ts";
import { anthropicFailure } from "./anthropic/errors.ts";
import { AttemptsFailed } from "./attempt.ts";
import { failureForLog, type UpstreamFailure } from "./failure.ts";
import { geminiFailure } from "./gemini/errors.ts";
import type { BadResponse } from "./generation.ts";
import { openAiFailure } from "./openai-compatible/errors.ts";
import { openAiVariant } from "./openai-compatible/variant.ts";

const key = "sk-secret-key";
const upstream = (protocol: Protocol) => firstUpstream(testModel("", protocol));
const respond = (status: number, body: unknown): BadResponse => ({
  status,
  header: () => undefined,
  body: Buffer.from(JSON.stringify(body)),
});

type Fails = (status: number, message: string) => UpstreamFailure;
const providers: Readonly<Record<string, Fails>> = {
  OpenAI: (status, message) =>
    openAiFailure(
      respond(status, { error: { message, type: key, code: `c ${key}` } }),
      upstream("openai"),
      openAiVariant,
    ),
  Anthropic: (status, message) =>
    anthropicFailure(respond(status, { type: "error", error: { type: `t ${key}`, message } }), upstream("anthropic")),
  Gemini: (status, message) =>
    geminiFailure(respond(status, { error: { code: status, status: key, message } }), upstream("gemini")),
};

/** Everything that a logger could output for it. */
function logged(failure: UpstreamFailure): string {
  const whole = new AttemptsFailed(failure, upstream("openai"), 1);
  const fields = Object.fromEntries(Object.entries(failure));
  return [
    JSON.stringify(failureForLog(failure)),
    inspect(failure),
    JSON.stringify(fields),
    inspect(whole.failure),
  ].join();
}

for (const [name, fail] of Object.entries(providers)) {
  test(`${name}: logs at most one line of an error, without keys and without the prompt that it quotes`, () => {
    const prompt = "my deepest secret wish";
    for (const status of [400, 404, 500, 503]) {
      const line = logged(fail(status, `Cannot read "${prompt}" with ${key}`));
      assert.ok(!line.includes(prompt) && !line.includes(key), line);
    }
    for (const status of [401, 402, 403, 429]) {
      const failure = fail(status, `${key} may not: ${"retry ".repeat(1_000)}`);
      const line = JSON.stringify(failureForLog(failure));
      assert.ok(line.length < 600 && !line.includes(key), line);
      assert.match(String(failureForLog(failure)["reported"]), /^\[redacted\] may not: retry/);
    }
  });

  test(`${name}: no field of the client's error contains a key`, () => {
    const failure = fail(400, `not ${key}`);
    const reported = JSON.stringify([failure.reported, failure.body?.toString()]);
    assert.ok(failure.reported !== undefined && !reported.includes(key), reported);
  });
}
