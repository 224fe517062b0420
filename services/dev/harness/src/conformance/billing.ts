import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Outcome, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { waitFor } from "../testing/wait-for.ts";
import { aWhile, billOf, callOf, type Guarantee, gate, openOf, type Served } from "./served.ts";

type Check = Guarantee["check"];

const oneBill: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => served.respond(response);
  const response = await callOf(served, stage);
  assert.deepEqual([response.status, response.broken], [200, undefined], response.text.slice(0, 500));
  const { request, settlement } = await billOf(stage);
  assert.equal(settlement.outcome, Outcome.COMPLETED);
  assert.equal(settlement.costNanoUsd > 0n, served.isFree === undefined, `the request costs ${settlement.costNanoUsd}`);
  assert.ok(settlement.costNanoUsd <= request.holdNanoUsd, `${settlement.costNanoUsd} of ${request.holdNanoUsd}`);
  assert.notEqual(settlement.upstream, "");
  assert.equal(response.header("x-ratelimit-limit-requests"), "60", "the response has the key's limits");
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory to be released" });
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
    what: "the journal to start writing the bill",
  });
  await aWhile();
  assert.equal(ended, false, "the response does not end before its bill is on disk");
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
  else assert.notEqual(response.broken, undefined, "the stream ends with an error");
};

const upstreamFails: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => {
    response
      .writeHead(500, { "content-type": "application/json" })
      .end('{"error":{"message":"secret of the provider"}}');
  };
  const response = await callOf(served, stage);
  assert.ok(response.status >= 500, `${response.status}`);
  const { settlement } = await billOf(stage);
  assert.deepEqual([settlement.outcome, settlement.costNanoUsd], [Outcome.FAILED, 0n]);
  assert.ok(settlement.attempts >= 1);
};

/** A failure that its upstream charges for is not retried, and its bill names the rule. */
const billedFailure =
  (bodyOf: (served: Parameters<Check>[0]) => string, ...rules: readonly SettlementRule[]): Check =>
  async (served, stage) => {
    stage.upstream.script = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(bodyOf(served));
    };
    const response = await callOf(served, stage);
    assert.ok(response.status >= 400, `${response.status}`);
    const { request, settlement } = await billOf(stage);
    assert.equal(stage.upstream.received.length, 1, "the call is not retried");
    assert.equal(settlement.outcome, Outcome.FAILED);
    assert.ok(rules.includes(settlement.settlementRule), `the receipt names ${settlement.settlementRule}`);
    assert.ok(settlement.costNanoUsd > 0n, "the request has a cost");
    assert.ok(settlement.costNanoUsd <= request.holdNanoUsd, `${settlement.costNanoUsd} of ${request.holdNanoUsd}`);
    assert.deepEqual([settlement.attempts, settlement.upstream === ""], [1, false]);
  };

const errorWithUsage = billedFailure(({ errorWithUsage: error }) => {
  assert.ok(error !== undefined, "the case has an error with usage");
  return JSON.stringify(error);
}, SettlementRule.FAILED_USAGE);

const unusableResponse = billedFailure(
  () => '{"id":"1","object":"lis',
  SettlementRule.FAILED_ESTIMATE,
  SettlementRule.UPPER_BOUND,
);

const clientLeaves: Check = async (served, stage) => {
  const upstreamGate = gate();
  stage.upstream.script = async ({ left }, response) => {
    await Promise.race([upstreamGate.promise, left]);
    if (!response.destroyed) await served.respond(response);
  };
  const stream = openOf(served, stage);
  await waitFor(() => stage.upstream.received.length > 0, { what: "the upstream to be called" });
  stream.call.cancel("the client disconnected");
  await aWhile();
  upstreamGate.resolve();
  const { settlement } = await billOf(stage);
  assert.notEqual(settlement.outcome, Outcome.COMPLETED);
  const called = stage.upstream.received.length;
  await aWhile();
  assert.equal(stage.upstream.received.length, called, "no upstream is called after the client has disconnected");
  await waitFor(() => stage.harness.buffers.held === 0, { what: "the memory to be released" });
};

/** An unreadable response of a free call is no cost either. */
const unusableIsFree: Check = async (served, stage) => {
  stage.upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"id":"1","object":"lis');
  };
  const response = await callOf(served, stage);
  assert.equal(response.status, 502, response.text);
  const { settlement } = await billOf(stage);
  assert.deepEqual([settlement.outcome, settlement.costNanoUsd], [Outcome.FAILED, 0n]);
};

/** One bill for each admitted request, and the order of bill and response. */
const always: readonly Guarantee[] = [
  { title: "a request is billed once, for at most its hold, and the bill names the provider", check: oneBill },
  { title: "the response ends only after the journal has stored the bill", check: billFirst },
  { title: "a response whose bill cannot be written is not completed", check: noResponseWithoutBill },
  { title: "a request whose upstream fails gets an error and is billed once, at no cost", check: upstreamFails },
  {
    title: "a request whose client disconnects is billed once and continues only at its upstream",
    check: clientLeaves,
  },
];

const metered: readonly Guarantee[] = [
  {
    title: "an upstream error that reports usage is not retried and is billed once by that usage",
    check: errorWithUsage,
  },
  {
    title: "an unreadable response is not retried and is billed once, by estimate or by its upper bound",
    check: unusableResponse,
  },
];

const free: readonly Guarantee[] = [
  { title: "an unreadable response is an error and is billed once, at no cost", check: unusableIsFree },
];

/** What an operation guarantees about its bills. */
export const billingOf = ({ isFree }: Served): readonly Guarantee[] => [...always, ...(isFree ? free : metered)];
