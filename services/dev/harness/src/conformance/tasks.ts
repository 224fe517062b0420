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
  assert.ok(heldNanoUsd !== undefined && heldNanoUsd > 0n, "its money is held when the upstream is called");
  assert.ok(response.header("location")?.endsWith(String(response.json()["id"])), "the answer leads to the task");
  assert.deepEqual([booked.length, booked[0]?.settlement], [1, undefined], "one task, which is yet to be billed");
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory is given back" });
};

const refusedByProvider: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => {
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"secret of theirs"}}');
  };
  const response = await callOf(served, stage);
  assert.ok(response.status >= 500, `${response.status}`);
  assert.doesNotMatch(response.text, /secret of theirs/);
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
  await waitFor(() => stage.upstream.received.length > 0, { what: "the upstream is called" });
  stream.call.cancel("the client left");
  await aWhile();
  upstreamGate.resolve();
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory is given back" });
  const { booked } = stage.harness.admission;
  assert.deepEqual([booked.length, booked[0]?.settlement], [1, undefined], "the task goes on");
  assert.equal(stage.upstream.received.length, 1, "it is made once");
};

/** The guarantees of a request that starts a task, which is billed when it ends. */
export const tasks: readonly Guarantee[] = [
  { title: "a task's money is held before an upstream is called, and the answer leads to the task", check: heldFirst },
  {
    title: "a task that its provider refuses is an error without a word of theirs, and one bill of nothing",
    check: refusedByProvider,
  },
  { title: "a client that leaves leaves its task behind, which is made once", check: outlivesClient },
];
