import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { setFault } from "@uag/harness/fleet/faults";
import type { CallOptions, OperationsHarness } from "@uag/harness/start-operations";
import { SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { type LocalSimulator, startSimulator } from "./local-simulator.ts";
import { startChat } from "./support.ts";

let simulator: LocalSimulator;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

/** Input and output, USD per million tokens. */
const prices = { main: [1, 2], spare: [10, 50], last: [0.5, 1] } as const;

const priceOf = (of: keyof typeof prices): string =>
  `price: { input_tokens: ${prices[of][0]}, cached_input_tokens: ${prices[of][0]}, cache_write_5m_tokens: ${prices[of][0]}, output_tokens: ${prices[of][1]} }`;

const traits = "owned_by: o, created: 0, context_tokens: 128000, max_output_tokens: 4096";
const operations = "operations: [chat.completions, messages, responses]";

/** Models whose first upstream is at a provider of its own, so that none inherits another's cooldowns. */
const requested = [
  "rejected",
  "limited",
  "broken",
  "unreadable",
  "picky",
  "cooling",
  "hopeless",
  "priced",
  "allowed",
  "seeing",
  "long",
  "streaming",
  "poor",
  "recorded",
] as const;
type Requested = (typeof requested)[number];

before(async () => {
  simulator = resources.use(await startSimulator());
  const url = `${simulator.url}/openai/v1`;
  const own = requested.map((name) => `  ${name}: { protocol: openai, base_url: "${url}", api_key: key-${name} }`);
  const providers = [
    ...own,
    `  claude: { protocol: anthropic, base_url: "${simulator.url}/anthropic", api_key: key-claude }`,
    `  last: { protocol: openai, base_url: "${url}", api_key: key-last }`,
  ];
  const models = requested.map(
    (id) =>
      `  - { id: ${id}, ${traits}, ${operations}, input: [text, image], ${priceOf("main")}, fallbacks: [spare, last], upstreams: [{ provider: ${id}, model: gpt-4o-mini }] }`,
  );
  models.push(
    `  - { id: spare, ${traits}, ${operations}, ${priceOf("spare")}, upstreams: [{ provider: claude, model: claude-sonnet-4-6 }] }`,
    `  - { id: last, ${traits}, operations: [chat.completions], input: [text, image], ${priceOf("last")}, fallbacks: [spare], upstreams: [{ provider: last, model: gpt-4o-mini }] }`,
  );
  harness = resources.use(
    await startChat({ catalog: `providers:\n${providers.join("\n")}\nmodels:\n${models.join("\n")}\n` }),
  );
});
after(() => resources.disposeAsync());

const fault = (key: string, faults: object) => setFault(simulator.url, faults, { key });

async function ask(model: Requested, fields: object = {}, options: CallOptions = {}, operation = "chat.completions") {
  const messages = [{ role: "user", content: "repeat 20 words" }];
  const response = await harness.call(operation, { model, messages, max_tokens: 100, ...fields }, options);
  const booked = harness.admission.booked.at(-1) ?? assert.fail("nothing was admitted");
  const { settlement } = booked;
  assert.ok(settlement !== undefined, "nothing was billed");
  const { costNanoUsd, units } = settlement;
  const unit = (name: string): number => Number(units.find((each) => each.name === name)?.quantity ?? 0n);
  return {
    ...response,
    booked,
    settlement,
    costUsd: Number(costNanoUsd) / 1e9,
    input: unit("input_tokens") + unit("cached_input_tokens") + unit("cache_write_5m_tokens"),
    output: unit("output_tokens"),
    served: response.header("x-gateway-model"),
    fallback: response.header("x-gateway-fallback"),
    attempts: Number(response.header("x-gateway-attempts")),
  };
}

const costAt = (of: keyof typeof prices, { input, output }: { input: number; output: number }): number =>
  (input * prices[of][0] + output * prices[of][1]) / 1e6;

test("a fallback responds when every upstream of the model fails, at its own price, and the response says so", async () => {
  await fault("key-rejected", { status: 401 });
  const found = await ask("rejected");
  assert.deepEqual(
    [found.status, found.served, found.fallback],
    [200, "spare", "rejected; reason=operator"],
    found.text,
  );
  assert.equal(found.attempts, 2);
  const { settlement } = found;
  assert.deepEqual(
    [settlement.model, settlement.requestedModel, settlement.fallbackReason, settlement.upstream, settlement.attempts],
    ["spare", "rejected", "operator", "claude", 2],
  );
  assert.deepEqual(
    settlement.failedAttempts.map(({ upstream, failure }) => [upstream, failure]),
    [["rejected", "operator"]],
  );
  assert.ok(found.output > 0);
  assert.ok(Math.abs(found.costUsd - costAt("spare", found)) < 1e-9, `${found.costUsd}`);
});

test("a model that responds is not replaced, and its response names no fallback", async () => {
  const found = await ask("recorded");
  assert.deepEqual([found.status, found.served, found.fallback, found.attempts], [200, "recorded", undefined, 1]);
  assert.equal(found.settlement.requestedModel, undefined);
  assert.ok(Math.abs(found.costUsd - costAt("main", found)) < 1e-9, `${found.costUsd}`);
});

const heldFor = ({ booked }: Pick<Awaited<ReturnType<typeof ask>>, "booked">): number =>
  Number(booked.request.holdNanoUsd) / 1e9;

test("the hold covers the most expensive model of the chain that the key may use", async () => {
  const holds: number[] = [];
  for (const models of [[], ["priced", "last"], ["priced"]]) holds.push(heldFor(await ask("priced", {}, { models })));
  const [all = 0, cheap = 0, alone = 0] = holds;
  assert.ok(all > 5 * alone && all < 30 * alone, `${all} USD, ${alone} USD without fallbacks`);
  assert.equal(cheap, alone);
});

test("a balance that covers only the requested model admits the request without the fallbacks that cost more", async () => {
  const covered = heldFor(await ask("poor", {}, { models: ["poor"] }));
  await fault("key-poor", { status: 401 });
  const holds: bigint[] = [];
  harness.admission.onAdmit = ({ holdNanoUsd }) => {
    holds.push(holdNanoUsd);
    if (Number(holdNanoUsd) / 1e9 > covered) throw new GatewayError("insufficient_balance");
  };
  try {
    const found = await ask("poor");
    assert.deepEqual([found.status, found.served, found.fallback], [200, "last", "poor; reason=operator"], found.text);
    assert.equal(holds.length, 2);
    assert.equal(heldFor(found), covered);
  } finally {
    harness.admission.onAdmit = () => {};
  }
});

test("a fallback that the key may not use is passed over", async () => {
  await fault("key-allowed", { status: 401 });
  const found = await ask("allowed", {}, { models: ["allowed", "last"] });
  assert.deepEqual([found.status, found.served, found.fallback], [200, "last", "allowed; reason=operator"]);
  const alone = await ask("allowed", {}, { models: ["allowed"] });
  assert.equal(alone.status, 502, alone.text);
  assert.deepEqual([alone.served, alone.fallback], ["allowed", undefined]);
  assert.equal(alone.settlement.costNanoUsd, 0n);
});

const image = {
  type: "image_url",
  image_url: {
    url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
};
const unfit = {
  seeing: { messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }] },
  long: { max_tokens: 4_000, messages: [{ role: "user", content: "word ".repeat(125_000) }] },
} as const;

test("a fallback without the input that a request has is passed over", async () => {
  await fault("key-seeing", { status: 401 });
  const found = await ask("seeing", unfit.seeing);
  assert.deepEqual([found.status, found.served], [200, "last"], found.text);
});

test("no fallback is called with a prompt longer than its context", async () => {
  await fault("key-long", { status: 401 });
  const found = await ask("long", unfit.long);
  assert.deepEqual([found.status, found.served, found.attempts], [502, "long", 1], found.text);
});

test("a response that the provider charges for is not requested from another model", async () => {
  await fault("key-unreadable", { "ok-error-usage": true });
  const found = await ask("unreadable");
  assert.deepEqual([found.status, found.attempts, found.fallback], [502, 1, undefined], found.text);
  assert.equal(found.settlement.settlementRule, SettlementRule.FAILED_USAGE);
  assert.ok(found.costUsd > 0 && Math.abs(found.costUsd - costAt("main", found)) < 1e-9, `${found.costUsd}`);
  assert.equal(found.settlement.model, undefined);
});

test("a model whose upstreams all cool down is not called before its fallbacks", async () => {
  await fault("key-cooling", { status: 429, "retry-after": 60 });
  const first = await ask("cooling");
  assert.deepEqual([first.served, first.fallback, first.attempts], ["spare", "cooling; reason=capacity", 2]);
  const second = await ask("cooling");
  assert.deepEqual([second.served, second.fallback, second.attempts], ["spare", "cooling; reason=cooldown", 1]);
  assert.deepEqual([second.settlement.fallbackReason, second.settlement.failedAttempts], ["cooldown", []]);
});

test("a stream of a fallback is in the client's format, and a checkpoint names the model that is billed", async () => {
  await fault("key-streaming", { reset: 0 });
  for (const operation of ["chat.completions", "messages", "responses"]) {
    const input =
      operation === "responses" ? { input: "repeat 20 words", messages: undefined, max_tokens: undefined } : {};
    const found = await ask("streaming", { stream: true, ...input }, {}, operation);
    assert.deepEqual([found.status, found.served], [200, "spare"], `${operation}: ${found.text}`);
    assert.match(found.fallback ?? "", /^streaming; reason=(unreachable|transient|cooldown)$/);
    const ends = {
      "chat.completions": "data: [DONE]",
      messages: "event: message_stop",
      responses: "response.completed",
    };
    assert.ok(found.text.includes(ends[operation as keyof typeof ends]), found.text);
    assert.ok(Math.abs(found.costUsd - costAt("spare", found)) < 1e-9, `${operation}: ${found.costUsd}`);
    const { booked, settlement } = found;
    const billed = [settlement.model, settlement.priceVersion, settlement.requestedModel, settlement.fallbackReason];
    const [checkpoint] = booked.checkpoints;
    assert.deepEqual(
      [checkpoint?.model, checkpoint?.priceVersion, checkpoint?.requestedModel, checkpoint?.fallbackReason],
      billed,
    );
    assert.deepEqual([billed[0], billed[2]], ["spare", "streaming"]);
    assert.notEqual(billed[1], booked.request.priceVersion);
  }
});

test("a request that the model refuses is not sent to another one", async () => {
  await fault("key-picky", { status: 400 });
  const found = await ask("picky");
  assert.deepEqual([found.status, found.attempts, found.fallback], [400, 1, undefined], found.text);
});

test("the client gets the requested model's own error when no model of the chain responds", async () => {
  await fault("key-hopeless", { status: 429, "retry-after": 30 });
  await fault("key-last", { status: 401 });
  await fault("key-claude", { status: 400 });
  const found = await ask("hopeless");
  assert.deepEqual([found.status, found.header("retry-after")], [429, "30"], found.text);
  assert.deepEqual([found.served, found.fallback, found.attempts], ["hopeless", undefined, 3]);
  const { settlement } = found;
  assert.deepEqual([settlement.costNanoUsd, settlement.settlementRule], [0n, SettlementRule.NOTHING_OWED]);
  assert.deepEqual(
    settlement.failedAttempts.map(({ upstream, failure }) => [upstream, failure]),
    [
      ["hopeless", "capacity"],
      ["claude", "client"],
      ["last", "operator"],
    ],
  );
});
