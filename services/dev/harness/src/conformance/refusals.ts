import assert from "node:assert/strict";
import { maxBodyBytesOf } from "@uag/contract/body-limits";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { callOf, type Guarantee, type Served } from "./served.ts";

type Check = Guarantee["check"];

function refusedWith(error: () => GatewayError, status: number, retries: boolean): Check {
  return async (served, stage) => {
    stage.harness.admission.onAdmit = () => {
      throw error();
    };
    const response = await callOf(served, stage);
    assert.equal(response.status, status, response.text);
    assert.ok(typeof response.json()["error"] === "object" || typeof response.json()["code"] === "string");
    assert.equal(response.header("retry-after") !== undefined, retries, "retry-after");
    assert.equal(stage.harness.admission.booked.length, 0);
    assert.equal(stage.upstream.received.length, 0, "no upstream is called");
    assert.equal(stage.harness.buffers.held, 0, "no memory stays reserved");
  };
}

const tooLarge: Check = async ({ operation, headers }: Served, { harness, upstream }) => {
  const most = maxBodyBytesOf(operation);
  const stream = harness.begin(operation, headers === undefined ? {} : { headers });
  const piece = Buffer.alloc(1024 * 1024, " ");
  for (let sent = 0; sent <= most; sent += piece.length) stream.call.writeBody(piece);
  stream.call.endBody();
  const { status } = await stream.head;
  stream.call.cancel("seen");
  // A multipart body of blanks is malformed, which may be noticed before its length is.
  assert.ok(status === 413 || (status === 400 && headers?.some((one) => one.startsWith("multipart/"))), `${status}`);
  assert.equal(harness.admission.booked.length, 0);
  assert.equal(upstream.received.length, 0, "no upstream is called");
};

/** Requests that never reach an upstream. */
export const refusals: readonly Guarantee[] = [
  {
    title: "a request beyond the balance is rejected with 402, costs nothing and reaches no upstream",
    check: refusedWith(() => new GatewayError("insufficient_balance"), 402, false),
  },
  {
    title: "a request beyond the key's limits is rejected with 429 and Retry-After, and reaches no upstream",
    check: refusedWith(() => new GatewayError("rate_limit_exceeded", undefined, { retryAfterMs: 3_000 }), 429, true),
  },
  {
    title: "a request is rejected with 503 and Retry-After while admission is unavailable",
    check: refusedWith(() => new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000 }), 503, true),
  },
  { title: "a body above the route's limit is rejected before money or memory is reserved for it", check: tooLarge },
];
