import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Outcome, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { waitFor } from "../testing/wait-for.ts";
import { aWhile, billOf, callOf, type Guarantee, gate, openOf } from "./served.ts";

type Check = Guarantee["check"];

const oneBill: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => served.respond(response);
  const response = await callOf(served, stage);
  assert.deepEqual([response.status, response.broken], [200, undefined], response.text.slice(0, 500));
  const { request, settlement } = await billOf(stage);
  assert.equal(settlement.outcome, Outcome.COMPLETED);
  assert.ok(settlement.costNanoUsd > 0n, "it costs something");
  assert.ok(settlement.costNanoUsd <= request.holdNanoUsd, `${settlement.costNanoUsd} of ${request.holdNanoUsd}`);
  assert.notEqual(settlement.upstream, "");
  assert.equal(response.header("x-ratelimit-limit-requests"), "60", "the key's limits are told");
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory is given back" });
};

const billFirst: Check = async (served, stage) => {
  const written = gate();
  stage.harness.admission.settling = () => written.promise;
  stage.upstream.script = (_, response) => served.respond(response);
  let ended = false;
  const pending = callOf(served, stage).finally(() => {
    ended = true;
  });
  await waitFor(() => stage.harness.admission.booked[0]?.settlement !== undefined, {
    what: "the bill is being written",
  });
  await aWhile();
  assert.equal(ended, false, "the answer is not complete before its bill is on disk");
  written.resolve();
  assert.deepEqual([(await pending).status, (await pending).broken], [200, undefined]);
};

const noResponseWithoutBill: Check = async (served, stage) => {
  stage.harness.admission.settling = async () => {
    throw new GatewayError("service_unavailable");
  };
  stage.upstream.script = (_, response) => served.respond(response);
  const response = await callOf(served, stage);
  if (served.stream === undefined) assert.equal(response.status, 503, response.text.slice(0, 200));
  else assert.notEqual(response.broken, undefined, "a stream does not end as if it were whole");
};

const upstreamFails: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => {
    response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"secret of theirs"}}');
  };
  const response = await callOf(served, stage);
  assert.ok(response.status >= 500, `${response.status}`);
  const { settlement } = await billOf(stage);
  assert.deepEqual([settlement.outcome, settlement.costNanoUsd], [Outcome.FAILED, 0n]);
  assert.ok(settlement.attempts >= 1);
};

/** A failure that its upstream charges for is bought once, and its bill says by which rule. */
const billedFailure =
  (bodyOf: (served: Parameters<Check>[0]) => string, rule: SettlementRule): Check =>
  async (served, stage) => {
    stage.upstream.script = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(bodyOf(served));
    };
    const response = await callOf(served, stage);
    assert.ok(response.status >= 400, `${response.status}`);
    const { request, settlement } = await billOf(stage);
    assert.equal(stage.upstream.received.length, 1, "no other call is made");
    assert.deepEqual([settlement.outcome, settlement.settlementRule], [Outcome.FAILED, rule]);
    assert.ok(settlement.costNanoUsd > 0n, "it costs something");
    assert.ok(settlement.costNanoUsd <= request.holdNanoUsd, `${settlement.costNanoUsd} of ${request.holdNanoUsd}`);
    assert.deepEqual([settlement.attempts, settlement.upstream === ""], [1, false]);
  };

const errorWithUsage = billedFailure(({ errorWithUsage: error }) => {
  assert.ok(error !== undefined, "the case has an error with usage");
  return JSON.stringify(error);
}, SettlementRule.FAILED_USAGE);

const unusableResponse = billedFailure(() => '{"id":"1","object":"lis', SettlementRule.FAILED_ESTIMATE);

const clientLeaves: Check = async (served, stage) => {
  const upstreamGate = gate();
  stage.upstream.script = async ({ left }, response) => {
    await Promise.race([upstreamGate.promise, left]);
    if (!response.destroyed) await served.respond(response);
  };
  const stream = openOf(served, stage);
  await waitFor(() => stage.upstream.received.length > 0, { what: "the upstream is called" });
  stream.call.cancel("the client left");
  await aWhile();
  upstreamGate.resolve();
  const { settlement } = await billOf(stage);
  assert.notEqual(settlement.outcome, Outcome.COMPLETED);
  const called = stage.upstream.received.length;
  await aWhile();
  assert.equal(stage.upstream.received.length, called, "nobody is called for a client that has left");
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory is given back" });
};

/** One bill for each admitted request, and the order of bill and response. */
export const billing: readonly Guarantee[] = [
  { title: "a request is billed once, no more than was held for it, and the bill names who served it", check: oneBill },
  { title: "the end of the answer waits until the journal has the bill", check: billFirst },
  { title: "no answer is complete whose bill could not be written", check: noResponseWithoutBill },
  { title: "when the upstream fails the client gets an error, and one bill of nothing", check: upstreamFails },
  {
    title: "an upstream error that reports usage is final and billed once by that usage",
    check: errorWithUsage,
  },
  {
    title: "a response that cannot be read is final and billed once by estimate",
    check: unusableResponse,
  },
  { title: "a client that leaves is billed once, and nothing goes on for it but its upstream", check: clientLeaves },
];
