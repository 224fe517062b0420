import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { OperationsHarness, ReceivedResponse } from "@uag/harness/start-operations";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { type LocalSimulator, type ServedCall, startSimulator } from "./local-simulator.ts";
import { startChat } from "./support.ts";

interface Expected {
  readonly status: number;
  readonly pricing?: Pricing;
  /** The response is complete: it ends as the client expects. */
  readonly whole?: boolean;
  readonly attempts?: number;
}

const { EXACT, ESTIMATED } = Pricing;
const whole = { status: 200, pricing: EXACT, whole: true };
const broken = { status: 200, pricing: ESTIMATED, whole: false };
const retried = { ...whole, attempts: 2 };

/**
 * Simulator faults, as part of the upstream's model name, and what the client and the bill must
 * show.
 */
const faults: Record<string, Expected> = {
  "": whole,
  "slow-1": whole,
  crlf: whole,
  cr: whole,
  "no-space": whole,
  "multi-data": whole,
  comments: whole,
  "split-1": whole,
  "split-0": whole,
  "join-5": whole,
  gzip: whole,
  br: whole,
  "usage-repeat-2": whole,
  "usage-cumulative": whole,
  "keepalive-chunk": whole,
  "cached-5": whole,
  "usage-missing": { ...whole, pricing: ESTIMATED },
  "status-500--sim-times-1": retried,
  "status-503--sim-times-1": retried,
  "status-429--sim-times-1--sim-retry-ms-50": retried,
  "reset-0--sim-times-1": retried,
  "html-502--sim-times-1": retried,
  "ok-error--sim-times-1": retried,
  "empty-body--sim-times-1": retried,
  "garbage--sim-times-1": retried,
  "status-400": { status: 400, attempts: 1 },
  "leak-key": { status: 400, attempts: 1 },
  "status-401": { status: 502, attempts: 1 },
  "status-403": { status: 502, attempts: 1 },
  "status-429--sim-retry-after-30": { status: 429, attempts: 1 },
  "status-429--sim-quota": { status: 503, attempts: 1 },
  "status-500": { status: 502, attempts: 3 },
  "status-503": { status: 503, attempts: 3 },
};
/** Faults of streams only. */
const streamFaults: Record<string, Expected> = {
  "cut-3": broken,
  "reset-chunks-3": broken,
  "error-event-4": broken,
  "no-terminator": { ...broken, pricing: EXACT },
  "error-event-1--sim-times-1": retried,
  "no-final-newline": whole,
};

const idOf = (fault: string): string => (fault === "" ? "healthy" : `faulty-${fault}`);
const upstreamModel = (fault: string): string => (fault === "" ? "gpt-4o-mini" : `gpt-4o-mini--sim-${fault}`);

let simulator: LocalSimulator;
let harness: OperationsHarness;

before(async () => {
  simulator = await startSimulator();
  const { url } = simulator;
  const names = [...Object.keys(faults), ...Object.keys(streamFaults)];
  const models = names.map((fault, index) => {
    const anchor = index === 0 ? "&m" : "";
    const merged =
      index === 0
        ? "owned_by: o, created: 0, operations: [chat.completions], context_tokens: 128000, max_output_tokens: 4096, price: { input_tokens: 1, cached_input_tokens: 0.1, output_tokens: 2 },"
        : "<<: *m,";
    return `  - ${anchor} { ${merged} id: ${idOf(fault)}, upstreams: [{ provider: sim, model: ${upstreamModel(fault)} }] }`;
  });
  const catalog = `providers: { sim: { protocol: openai, base_url: "${url}/openai/v1", api_key: sk-simulator-key } }\nmodels:\n${models.join("\n")}\n`;
  harness = await startChat({ catalog });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
});

/**
 * The last attempt of this request. The simulator records it shortly after the client has the last
 * byte.
 */
async function servedTo(fault: string, stream: boolean): Promise<ServedCall> {
  const signal = AbortSignal.timeout(60_000);
  for (;;) {
    const own = (await simulator.log()).findLast(
      (entry) => entry.stream === stream && entry.requested_model === upstreamModel(fault),
    );
    if (own !== undefined) return own;
    await setTimeout(5, undefined, { signal });
  }
}

async function check(fault: string, stream: boolean, expected: Expected): Promise<ReceivedResponse> {
  // The text differs between tests, because the simulator counts the attempts per request.
  const content = `Say something about ${fault} as ${stream ? "a stream" : "one response"}.`;
  const response = await harness.call("chat.completions", {
    model: idOf(fault),
    stream,
    messages: [{ role: "user", content }],
  });
  const context = `${response.status} ${response.text.slice(0, 300)}`;
  assert.equal(response.status, expected.status, context);
  if (expected.attempts !== undefined)
    assert.equal(response.header("x-gateway-attempts"), String(expected.attempts), context);
  assert.doesNotMatch(response.text, /sk-simulator-key|127\.0\.0\.1/);
  const settlement = harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
  if (expected.status !== 200) {
    assert.equal(settlement.outcome, Outcome.FAILED);
    assert.equal(settlement.costNanoUsd, 0n);
    return response;
  }
  assert.equal(settlement.pricing, expected.pricing, context);
  if (stream) {
    assert.equal(/data: ?\[DONE\]/.test(response.text), expected.whole, context);
    assert.equal(response.text.includes('{"error"'), !expected.whole, context);
    assert.ok(!/"choices":\[\],[^\n]*"usage":\{/.test(response.text), "the client did not request usage");
  }
  const served = await servedTo(fault, stream);
  const sum = (...names: string[]): number =>
    settlement.units.reduce((total, { name, quantity }) => total + (names.includes(name) ? Number(quantity) : 0), 0);
  if (settlement.pricing === EXACT) {
    assert.equal(sum("input_tokens", "cached_input_tokens"), served.usage?.prompt_tokens);
    assert.equal(sum("output_tokens"), served.usage?.completion_tokens);
  } else {
    assert.ok(
      Math.abs(sum("output_tokens") - served.delivered.content_tokens) <= 3,
      `${sum("output_tokens")} billed, ${served.delivered.content_tokens} delivered`,
    );
  }
  return response;
}

for (const [fault, expected] of Object.entries(faults)) {
  const name = fault === "" ? "no fault" : fault;
  test(`simulator, not streamed: ${name}`, async () => void (await check(fault, false, expected)));
  test(`simulator, stream: ${name}`, async () => void (await check(fault, true, expected)));
}
for (const [fault, expected] of Object.entries(streamFaults)) {
  test(`simulator, stream: ${fault}`, async () => void (await check(fault, true, expected)));
}
