import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testModel } from "../../test/support.ts";
import type { FailureKind } from "../failure.ts";
import { errorInside, openAiFailure } from "./errors.ts";
import { openAiVariant } from "./variant.ts";

const upstream = firstUpstream(testModel());
const inside = (error: object) => errorInside({ error }, upstream, openAiVariant) ?? assert.fail();

const kinds: readonly [code: unknown, kind: FailureKind][] = [
  [400, "client"],
  ["400", "client"],
  [401, "operator"],
  [402, "quota"],
  [404, "unknown_model"],
  [429, "capacity"],
  [502, "transient"],
  [4_000, "transient"],
  ["server_error", "transient"],
  ["invalid_prompt", "client"],
];
for (const [code, kind] of kinds) {
  test(`classifies an error with code ${JSON.stringify(code)} within a response as ${kind}`, () => {
    const failure = inside({ code, message: "m" });
    assert.equal(failure.kind, kind);
    assert.equal(failure.reported?.message, "m");
  });
}

test("keeps the details that an error's message refers to, without secrets", () => {
  const failed = "<function=f>{broken}</function> sk-secret-key";
  const body = { error: { message: "See 'failed_generation'.", code: "tool_use_failed", failed_generation: failed } };
  const { reported, kind } = openAiFailure(
    { status: 400, header: () => undefined, body: Buffer.from(JSON.stringify(body)) },
    upstream,
    openAiVariant,
  );
  assert.equal(kind, "client");
  assert.match(reported?.message ?? "", /^See 'failed_generation'\. <function=f>\{broken\}<\/function> /);
  assert.doesNotMatch(reported?.message ?? "", /sk-secret-key/);
  const behind = inside({
    code: 400,
    message: "Provider returned error",
    metadata: { raw: "bad tool", provider: "x" },
  });
  assert.equal(behind.reported?.message, "Provider returned error bad tool");
  const long = inside({ code: 400, message: "m", metadata: { raw: "x".repeat(100_000) } });
  assert.ok((long.reported?.message.length ?? 0) < 5_000);
});

test("names the field that a server made with FastAPI rejects, in Mistral's form and in the usual one", () => {
  const detail = [
    { type: "extra_forbidden", loc: ["body", "user"], msg: "Extra inputs are not permitted", input: "u" },
  ];
  for (const body of [{ object: "error", message: { detail }, type: "invalid_request_error" }, { detail }]) {
    const bytes = Buffer.from(JSON.stringify(body));
    const failure = openAiFailure({ status: 422, header: () => undefined, body: bytes }, upstream, openAiVariant);
    assert.deepEqual([failure.kind, failure.reported?.message], ["client", "user: Extra inputs are not permitted"]);
  }
  const none = Buffer.from('{"detail":"Not Found"}');
  assert.equal(
    openAiFailure({ status: 422, header: () => undefined, body: none }, upstream, openAiVariant).reported,
    undefined,
  );
});
