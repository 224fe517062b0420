import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { waitFor } from "../testing/wait-for.ts";
import { aWhile, billOf, type Guarantee, gate, openOf } from "./served.ts";

type Check = Guarantee["check"];

/** More than all buffers between client and upstream can hold. */
const maxTaken = 32 * 1024 * 1024;

const startedFirst: Check = async (served, stage) => {
  const started = gate();
  stage.harness.admission.started = () => started.promise;
  stage.upstream.script = (_, response) => served.respond(response);
  const stream = openOf(served, stage);
  let headed = false;
  void stream.head.then(() => {
    headed = true;
  });
  await waitFor(() => stage.upstream.received.length > 0, { what: "the upstream to be called" });
  await aWhile();
  assert.equal(headed, false, "nothing is sent before the start is on disk");
  started.resolve();
  assert.equal((await stream.head).status, 200);
  for await (const _ of stream);
  await billOf(stage);
};

const startFails: Check = async (served, stage) => {
  stage.harness.admission.started = async () => {
    throw new Error("disk full");
  };
  stage.upstream.script = (_, response) => served.respond(response);
  const stream = openOf(served, stage);
  assert.ok((await stream.head).status >= 500, "nothing of the stream is sent");
  const { settlement } = await billOf(stage);
  assert.deepEqual([settlement.outcome, settlement.costNanoUsd], [Outcome.FAILED, 0n]);
};

const holdsBack: Check = async (served, stage) => {
  const { stream: streamed } = served;
  assert.ok(streamed !== undefined);
  let written = 0;
  let stalled = false;
  stage.upstream.script = async (_, response) => {
    streamed.begin(response);
    while (!response.destroyed && written < maxTaken) {
      written += streamed.piece.length;
      if (!response.write(streamed.piece) && !(await drained(response))) stalled = true;
    }
  };
  const stream = openOf(served, stage);
  await stream.head;
  await waitFor(() => stalled || written >= maxTaken, { what: "the upstream to be held back" });
  assert.ok(written < maxTaken, `${written} bytes were read for a client that reads nothing`);
  stream.call.cancel("the client disconnected");
  await billOf(stage);
};

const checkpointFirst: Check = async (served, stage) => {
  const { stream: streamed } = served;
  assert.ok(streamed !== undefined);
  const opened = Promise.withResolvers<ServerResponse>();
  stage.upstream.script = (_, response) => {
    streamed.begin(response);
    response.write(streamed.piece);
    opened.resolve(response);
  };
  const stream = openOf(served, stage);
  await stream.head;
  const { request, checkpoints } = stage.harness.admission.booked[0] ?? {};
  const [first] = checkpoints ?? [];
  assert.ok(request !== undefined && first !== undefined, "a checkpoint is written before the response's head is sent");
  assert.ok(first.costNanoUsd > 0n, "the checkpoint has a cost");
  assert.ok(first.costNanoUsd <= request.holdNanoUsd, `${first.costNanoUsd} of ${request.holdNanoUsd}`);
  (await opened.promise).destroy();
  stream.call.cancel("the client disconnected");
  await billOf(stage);
};

/** Whether the upstream can continue to write within a second. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 1_000);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    response.once("drain", done);
    response.once("close", done);
  });
}

/** The additional guarantees of a streamed response. */
export const streaming: readonly Guarantee[] = [
  { title: "no byte of a stream is sent before the journal has its start", check: startedFirst },
  { title: "a stream whose start cannot be journaled is not sent and costs nothing", check: startFails },
  {
    title: "the first bytes of a stream write a checkpoint that costs something, at most the hold",
    check: checkpointFirst,
  },
  { title: "a client that does not read stalls its upstream, which bounds memory", check: holdsBack },
];
