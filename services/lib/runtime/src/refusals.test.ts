import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { maxRefusalCounts, maxRefusalSamples, type RefusalBatch, refusalBatch } from "@uag/contract/messages/refusals";
import type { NatsConnection } from "nats";
import { createLogger } from "./log.ts";
import { type Refusal, RefusalReport, refusalText } from "./refusals.ts";

const hourMs = 3_600_000;
const limited = new GatewayError("rate_limit_exceeded");
const refusal: Refusal = { accountId: "a", keyId: "k", requestId: "r", operation: "messages", error: limited };

function report() {
  const published: RefusalBatch[] = [];
  const publish = (_subject: string, text: string): void => {
    const batch = refusalBatch.decode(Buffer.from(text));
    assert.ok(batch !== undefined, "the published batch matches its schema");
    published.push(batch);
  };
  const connection = { publish, isClosed: () => false } as unknown as NatsConnection;
  const bus = { connected: true, connection };
  const time = { now: 10 * hourMs };
  const log = createLogger({ service: "test", level: "silent" });
  const refusals = new RefusalReport({ bus, service: "chat", clock: { now: () => time.now }, log });
  return { refusals, published, bus, time };
}

test("refusals of one key are one message, counted by reason and hour, with the latest texts of each", () => {
  const { refusals, published, time } = report();
  for (let n = 0; n < 1_000; n++) refusals.add({ ...refusal, requestId: `r${n}` });
  refusals.add({ ...refusal, model: "m", error: new GatewayError("invalid_request", "messages: is required.") });
  time.now += hourMs;
  refusals.add(refusal);
  refusals[Symbol.dispose]();
  assert.equal(published.length, 1);
  const [batch] = published;
  assert.deepEqual(
    batch?.counts.map(({ reason, hour_ms, count }) => [reason, hour_ms / hourMs, count]),
    [
      ["rate_limit_exceeded", 10, 1_000],
      ["invalid_request", 10, 1],
      ["rate_limit_exceeded", 11, 1],
    ],
  );
  assert.deepEqual(
    batch?.samples.map(({ request_id, status, model }) => [request_id, status, model]),
    [
      ["r997", 429, ""],
      ["r998", 429, ""],
      ["r999", 429, ""],
      ["r", 400, "m"],
      ["r", 429, ""],
    ],
  );
});

test("a failure of ours or of a provider is not a refusal", () => {
  const { refusals, published } = report();
  for (const code of ["internal_error", "upstream_rate_limited", "service_unavailable", "not_found"] as const)
    refusals.add({ ...refusal, error: new GatewayError(code) });
  refusals[Symbol.dispose]();
  assert.equal(published.length, 0);
});

test("counts wait for an unreachable broker, in bounded memory", () => {
  const { refusals, published, bus } = report();
  bus.connected = false;
  for (let n = 0; n < 2 * maxRefusalCounts; n++) refusals.add({ ...refusal, keyId: `k${n}` });
  refusals.flush();
  assert.equal(published.length, 0);
  bus.connected = true;
  refusals[Symbol.dispose]();
  assert.deepEqual([published[0]?.counts.length, published[0]?.samples.length], [maxRefusalCounts, maxRefusalSamples]);
});

test("a stored text is short and shows no credential, but shows model names", () => {
  assert.equal(refusalText("x".repeat(40)), "x".repeat(40));
  assert.equal(refusalText(`a ${"b ".repeat(400)}`).length, 300);
  const pasted = "The model sk-proj-1234567890abcdef does not exist.";
  assert.equal(refusalText(pasted), "The model [redacted] does not exist.");
  const names = "The model claude-sonnet-4-5-20250929 does not exist.";
  assert.equal(refusalText(names), names);
});

test("a stored text shows no part of a credential, wherever the text is cut", () => {
  const secrets = ["sk-proj-Zq7Zq7Zq7Zq7Zq7Zq7Zq7", `Zq7${"Zq7".repeat(20)}`];
  for (const secret of secrets)
    for (const filler of ["a ", `${"w".repeat(100)} `])
      for (let length = 200; length < 2_600; length++) {
        const before = filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
        const text = refusalText(`${before} ${secret} ${"b ".repeat(2_000)}`);
        assert.ok(text.length <= 300 && !/Zq7|sk-/.test(text), `after ${length} characters: ${text.slice(-40)}`);
      }
});
