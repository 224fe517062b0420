import assert from "node:assert/strict";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { waitFor } from "../testing/wait-for.ts";
import { aWhile, billOf, callOf, type Guarantee, gate, openOf } from "./served.ts";

type Check = Guarantee["check"];

const heldFirst: Check = async (served, stage) => {
  const { booked } = stage.harness.admission;
  let heldNanoUsd: bigint | undefined;
  stage.upstream.script = async (_, response) => {
    heldNanoUsd = booked[0]?.request.holdNanoUsd;
    await served.respond(response);
  };
  const response = await callOf(served, stage);
  assert.equal(response.status, 202, response.text.slice(0, 500));
  assert.ok(heldNanoUsd !== undefined && heldNanoUsd > 0n, "the money is held when the upstream is called");
  assert.ok(response.header("location")?.endsWith(String(response.json()["id"])), "the response links to the task");
  assert.deepEqual(
    [booked.length, booked[0]?.settlement],
    [1, undefined],
    "one task was admitted and is not billed yet",
  );
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory to be released" });
};

const refusedByProvider: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => {
    response
      .writeHead(401, { "content-type": "application/json" })
      .end('{"error":{"message":"secret of the provider"}}');
  };
  const response = await callOf(served, stage);
  assert.ok(response.status >= 500, `${response.status}`);
  assert.doesNotMatch(response.text, /secret of the provider/);
  const { settlement } = await billOf(stage);
  assert.deepEqual([settlement.outcome, settlement.costNanoUsd], [Outcome.FAILED, 0n]);
};

const outlivesClient: Check = async (served, stage) => {
  const upstreamGate = gate();
  stage.upstream.script = async (_, response) => {
    await upstreamGate.promise;
    await served.respond(response);
  };
  const stream = openOf(served, stage);
  await waitFor(() => stage.upstream.received.length > 0, { what: "the upstream to be called" });
  stream.call.cancel("the client disconnected");
  await aWhile();
  upstreamGate.resolve();
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory to be released" });
  const { booked } = stage.harness.admission;
  assert.deepEqual([booked.length, booked[0]?.settlement], [1, undefined], "the task continues");
  assert.equal(stage.upstream.received.length, 1, "the task is created once");
};

/** The guarantees of a request that starts a task, which is billed when it ends. */
export const tasks: readonly Guarantee[] = [
  {
    title: "a task's money is held before the upstream is called, and the response links to the task",
    check: heldFirst,
  },
  {
    title: "a task that its provider refuses fails without the provider's message and is billed once, at no cost",
    check: refusedByProvider,
  },
  { title: "a task continues after its client disconnects, and is created once", check: outlivesClient },
];
