import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Upstream } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { capturedLog, type LogLine } from "@uag/harness/testing/captured-log";
import type { LinkExchange } from "@uag/link/server-exchange";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/providers/attempt";
import { UpstreamFailure, unusableResponse } from "@uag/providers/failure";
import { UpstreamHealth } from "@uag/providers/health";
import { RetryBudget } from "@uag/providers/retry-budget";
import { createMetrics } from "@uag/runtime/metrics";
import type { Refusal } from "@uag/runtime/refusals";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { Settlement } from "@uag/usage/types";
import { AboveHold } from "../above-hold.ts";
import { createEvents } from "../events.ts";
import type { JsonBody } from "../request/body.ts";
import { modelOf } from "../request/model-of.ts";
import { jsonBody } from "./body-reader.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineUnbilled } from "./define-query.ts";
import type { Operation } from "./operation.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";

const current = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:9", api_key: k } }
models: [{ id: m, owned_by: o, created: 0, operations: [embeddings], context_tokens: 9, embedding: { dimensions: 1 },
  price: { input_tokens: 0.001 }, upstreams: [{ provider: p, batch: { items: 1, tokens: 9 } }] }]`,
  {},
);
const upstream = current.models.get("m")?.upstreams[0];
const nothing = (): void => undefined;
const caller = Caller.fromPartial({ accountId: "acct_1", keyId: "key_1" });

/** The message of the error that a log line has. */
const messageOf = ({ err }: LogLine): string | undefined => (err as Error | undefined)?.message;

type Spec = OperationSpec<JsonBody, JsonBody, Size, string>;

const good: Spec = {
  name: "embeddings",
  body: jsonBody(),
  modelOf,
  read: (body) => body,
  size: () => ({ holdNanoUsd: 10n, tokens: 1 }),
  call: async () => "answer",
  respond: (_, response) => ({
    kind: "unary",
    upstream: undefined,
    attempts: 1,
    charge: { units: [{ name: "input_tokens", quantity: 3n }] },
    headers: ["content-type", "text/plain"],
    body: Buffer.from(response),
  }),
};

interface RunOptions {
  readonly available?: bigint;
  readonly exchange?: Partial<LinkExchange>;
  /** In place of the billed operation. */
  readonly define?: (context: OperationContext) => Operation;
}

/** Runs one request of an operation, with an admission that covers holds of up to `available`. */
async function run(spec: Partial<Spec>, options: RunOptions = {}) {
  const { available = 1_000n, define = (context) => defineOperation(context, { ...good, ...spec }) } = options;
  const settled: Settlement[] = [];
  const holds: bigint[] = [];
  const responses: (string | number)[] = [];
  const refusals: Refusal[] = [];
  const { log, lines } = capturedLog();
  const metrics = createMetrics("test");
  const admitted = { flushStarted: async () => {}, headers: [], clientLeft: nothing, checkpoint: nothing };
  const context: OperationContext = {
    admission: {
      async admit({ holdNanoUsd }) {
        holds.push(holdNanoUsd);
        if (holdNanoUsd > available)
          throw new GatewayError("insufficient_balance", undefined, { cause: { availableNanoUsd: available } });
        return { ...admitted, settle: async (settlement) => void settled.push(settlement) };
      },
    },
    budget: new RetryBudget(),
    buffers: new BufferBudget(),
    catalog: { current, [Symbol.dispose]: nothing },
    events: createEvents(log, metrics, new AboveHold(), (refusal) => void refusals.push(refusal)),
    health: new UpstreamHealth(),
    tracing: undefined,
    inferenceMetrics: undefined,
  };
  const exchange = {
    operation: "embeddings",
    requestId: "r",
    target: "/",
    headers: [],
    context: Buffer.from(Caller.encode(caller).finish()),
    bodyless: false,
    signal: new AbortController().signal,
    over: false,
    header: () => undefined,
    body: () => (async function* () {})(),
    readBody: async () => Buffer.from('{"model":"m"}'),
    head: (status: number) => void responses.push(status),
    write: () => true,
    drained: async () => undefined,
    end: () => void responses.push("end"),
    fail: (code: string) => void responses.push(code),
    respond: (status: number) => void responses.push(status),
    ...options.exchange,
  } satisfies LinkExchange;
  await define(context).handler(exchange);
  return { settled, holds, responses, refusals, lines, metrics: () => metrics.registry.metrics() };
}

const owedNothing = ([settlement]: readonly Settlement[]): boolean =>
  settlement?.costNanoUsd === 0n && settlement.settlementRule === SettlementRule.NOTHING_OWED;
const fault = (): never => {
  throw new Error("a fault of ours");
};

test("counts a request as a refusal of its key only if it is not admitted", async () => {
  const about = { accountId: "acct_1", keyId: "key_1", operation: "embeddings", requestId: "r" };
  const short = await run({}, { available: 0n });
  const [refusal] = short.refusals;
  assert.deepEqual({ ...refusal, error: refusal?.error.code }, { ...about, model: "m", error: "insufficient_balance" });
  const unknown = await run({}, { exchange: { readBody: async () => Buffer.from('{"model":"none"}') } });
  assert.deepEqual(
    unknown.refusals.map(({ model, error }) => [model, error.code]),
    [[undefined, "model_not_found"]],
  );
  const invalid = new GatewayError("invalid_request");
  for (const spec of [{}, { call: async () => Promise.reject(invalid) }])
    assert.deepEqual((await run(spec)).refusals, [], "an admitted request has a usage event instead");
});

for (const [where, spec] of Object.entries({
  "before an upstream call": { call: async () => fault() },
  "after the upstream's response": { respond: fault },
} satisfies Record<string, Partial<Spec>>)) {
  test(`a fault ${where} releases the hold and responds with 500`, async () => {
    const { settled, responses, lines } = await run(spec);
    assert.ok(settled.length === 1 && owedNothing(settled));
    assert.deepEqual([responses, lines.length], [[500], 1]);
  });
}

const owedByFailure: [what: string, failure: UpstreamFailure, rule: SettlementRule, costNanoUsd: bigint][] = [
  [
    "bills an error with usage by that usage",
    new UpstreamFailure("transient", "an error with usage", {
      status: 200,
      usage: { units: [{ name: "input_tokens", quantity: 2n }], raw: Buffer.from('{"prompt_tokens":2}') },
    }),
    SettlementRule.FAILED_USAGE,
    2n,
  ],
  [
    "bills an unusable response by estimate",
    unusableResponse("not JSON", { received: "some text" }),
    SettlementRule.FAILED_ESTIMATE,
    9n,
  ],
  [
    "bills nothing for an error without usage",
    new UpstreamFailure("transient", "an error", { status: 200 }),
    SettlementRule.NOTHING_OWED,
    0n,
  ],
];
for (const [title, failure, rule, costNanoUsd] of owedByFailure) {
  test(`${title}, and records the settlement rule`, async () => {
    const { settled, responses } = await run({
      call: () => Promise.reject(new AttemptsFailed(failure, current.models.get("m")?.upstreams[0] as Upstream, 1)),
      owed: (_, { failure: { received = "" } }) => ({
        units: [{ name: "input_tokens", quantity: BigInt(received.length) }],
        estimated: true,
      }),
    });
    const [bill] = settled;
    assert.deepEqual([settled.length, responses, bill?.upstream], [1, [502], "p"]);
    assert.deepEqual([bill?.outcome, bill?.settlementRule, bill?.costNanoUsd], [Outcome.FAILED, rule, costNanoUsd]);
  });
}

for (const code of Object.keys(errorTable) as ErrorCode[]) {
  const { http } = errorTable[code];
  test(`a response with ${http} ${code} logs its cause ${http >= 500 ? "once" : "nowhere"}`, async () => {
    const call = async (): Promise<never> => {
      throw new GatewayError(code, undefined, { cause: new Error("the cause") });
    };
    const { responses, lines } = await run({ call });
    assert.deepEqual(responses, [http]);
    const logged = lines.map((line) => [line["request_id"], line["code"], messageOf(line)]);
    assert.deepEqual(logged, http >= 500 ? [["r", code, "the cause"]] : []);
  });
}

test("logs one line with the cause when fetching an upstream's URL fails", async () => {
  const call = async (): Promise<never> => {
    throw new UpstreamFailure("transient", "an image URL could not be fetched", { cause: new Error("not public") });
  };
  const { responses, lines } = await run({ call });
  assert.deepEqual(responses, [502]);
  assert.deepEqual(
    lines.map((line) => [line["msg"], line["code"], line["reason"], messageOf(line)]),
    [["request failed", "upstream_error", "an image URL could not be fetched", "not public"]],
  );
});

test("a fault before the hold reserves and bills nothing", async () => {
  const { settled, holds } = await run({ read: fault });
  assert.deepEqual([settled, holds], [[], []]);
});

test("a fault while a failed response is discarded does not prevent its bill", async () => {
  const { settled, responses, lines } = await run({ respond: fault, discard: fault });
  assert.ok(settled.length === 1 && owedNothing(settled));
  assert.deepEqual([responses, lines.length], [[500], 2]);
});

test("a stream that cannot begin is cut, discarded and not billed", async () => {
  let discarded = 0;
  const { settled, responses } = await run(
    {
      streams: () => true,
      respond: () => ({
        kind: "stream",
        upstream: undefined,
        attempts: 1,
        headers: [],
        progress: () => ({ units: [], costNanoUsd: 0n, isUpperBound: false }),
        relay: async () => fault(),
      }),
      discard: () => void discarded++,
    },
    { exchange: { head: fault } },
  );
  assert.ok(settled.length === 1 && owedNothing(settled));
  assert.deepEqual([responses, discarded], [["service_unavailable"], 1]);
});

test("tries tighter bounds when the balance does not cover the first, and reports the last refusal", async () => {
  const size = (holdNanoUsd: bigint): Size => ({ holdNanoUsd, tokens: 1 });
  const resize: Spec["resize"] = async function* (_, { availableNanoUsd }) {
    assert.equal(availableNanoUsd, 7n);
    yield size(8n);
    yield size(7n);
  };
  const covered = await run({ resize }, { available: 7n });
  assert.deepEqual([covered.holds, covered.responses], [[10n, 8n, 7n], [200]]);
  const refused = await run({ resize: async function* () {} }, { available: 7n });
  assert.deepEqual([refused.holds, refused.responses, refused.settled], [[10n], [402], []]);
});

test("bills a counter without a price at least at the hold, under its own name, and reports it", async () => {
  const charge = {
    units: [
      { name: "input_tokens", quantity: 3n },
      { name: "tool_search.requests\n", quantity: 2n },
    ],
  };
  const reply = { kind: "unary" as const, upstream, attempts: 1, charge, headers: [], body: Buffer.from("x") };
  const { settled, lines, metrics } = await run({ respond: () => reply });
  const [settlement] = settled;
  assert.deepEqual([settlement?.costNanoUsd, settlement?.pricing], [10n, Pricing.UNPRICED]);
  assert.equal(settlement?.settlementRule, SettlementRule.UNPRICED_UNITS);
  assert.deepEqual(settlement?.units[1], { name: "tool_search_requests_", quantity: 2n });
  const labels = 'provider="p",model="m",counter="tool_search_requests_"';
  assert.match(await metrics(), new RegExp(`uag_unpriced_units_total\\{${labels},service="test"\\} 1`));
  const line = lines.find(({ msg }) => msg === "request has units without a price");
  assert.deepEqual([line?.["provider"], line?.["unpriced"]], ["p", ["tool_search_requests_"]]);
});

test("charges and counts a cost above the hold, but charges the hold if the cost exceeds ten times the hold", async () => {
  const cases: [quantity: bigint, cost: bigint, pricing: Pricing, aboveHold: boolean][] = [
    [10n, 10n, Pricing.EXACT, false],
    [100n, 100n, Pricing.EXACT, true],
    [101n, 10n, Pricing.UNPRICED, true],
    [9_000_000_000_000_000n, 10n, Pricing.UNPRICED, true],
  ];
  for (const [quantity, cost, pricing, aboveHold] of cases) {
    const charge = { units: [{ name: "input_tokens", quantity }] };
    const reply = { kind: "unary" as const, upstream, attempts: 1, charge, headers: [], body: Buffer.from("x") };
    const { settled, metrics } = await run({ respond: () => reply });
    assert.deepEqual([settled[0]?.costNanoUsd, settled[0]?.pricing], [cost, pricing], String(quantity));
    const counted = /uag_cost_above_hold_total\{provider="p",model="m",service="test"\} 1/.test(await metrics());
    assert.equal(counted, aboveHold, String(quantity));
  }
});

test("an unbilled operation calls upstreams through the attempt loop, which counts failures and charges nothing", async () => {
  let calls = 0;
  const define = (context: OperationContext): Operation =>
    defineUnbilled(context, {
      ...good,
      respond: async ({ attempt }) => {
        const { value } = await attempt(async () => {
          if (++calls === 1) throw new UpstreamFailure("transient", "broken");
          return "fine";
        });
        return { body: { value } };
      },
    });
  const { responses, settled, holds, metrics } = await run({}, { define });
  assert.deepEqual([calls, responses, settled.length, holds.length], [2, [200], 0, 0]);
  assert.match(await metrics(), /uag_upstream_failures_total\{[^}]*kind="transient"[^}]*\} 1/);
});

test("an unbilled operation whose upstreams all fail reports the failure to the client", async () => {
  const define = (context: OperationContext): Operation =>
    defineUnbilled(context, {
      ...good,
      respond: async ({ attempt }) => {
        await attempt(async () => {
          throw new UpstreamFailure("operator", "wrong key");
        });
        return { body: {} };
      },
    });
  assert.deepEqual((await run({}, { define })).responses, [502]);
});
