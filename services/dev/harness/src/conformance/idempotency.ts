import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { newId } from "@uag/runtime/ids";
import { billOf, callOf, type Guarantee, successOf } from "./served.ts";

type Check = Guarantee["check"];

const keyOf = (): readonly string[] => ["idempotency-key", newId("key")];

const replayed: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => served.respond(response);
  const key = keyOf();
  const first = await callOf(served, stage, { more: key });
  const called = stage.upstream.received.length;
  const second = await callOf(served, stage, { more: key });
  const status = successOf(served);
  assert.deepEqual([first.status, second.status], [status, status], second.text.slice(0, 500));
  assert.ok(second.body.equals(first.body), "the replay has the same bytes");
  assert.equal(second.header("idempotent-replayed"), "true");
  assert.equal(stage.upstream.received.length, called, "the upstream is not called again");
  if (served.isTask === undefined) await billOf(stage);
  assert.equal(stage.harness.admission.booked.length, 1, "only one request is admitted");
};

const refusalFreesKey: Check = async (served, stage) => {
  const key = keyOf();
  stage.harness.admission.onAdmit = () => {
    throw new GatewayError("insufficient_balance");
  };
  assert.equal((await callOf(served, stage, { more: key })).status, 402);
  stage.harness.admission.onAdmit = () => {};
  stage.upstream.script = (_, response) => served.respond(response);
  assert.equal((await callOf(served, stage, { more: key })).status, successOf(served));
};

/** The guarantees of an idempotency key. */
export const idempotency: readonly Guarantee[] = [
  {
    title: "a request resent under its idempotency key gets the same bytes, with one upstream call and one bill",
    check: replayed,
  },
  {
    title: "a request refused for an insufficient balance can be resent under the same idempotency key",
    check: refusalFreesKey,
  },
];
