import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFault } from "@uag/harness/fleet/faults";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type LocalSimulator, startSimulator } from "./local-simulator.ts";
import { startChat } from "./support.ts";

/** Each test has a provider of its own, so that none inherits another one's cooldowns. */
const providers = {
  ranked:
    "{ name: a, api_key: key-ranked-a }, { name: b, api_key: key-ranked-b, priority: 1 }, { name: c, api_key: key-ranked-c, priority: 2 }",
  weighted: "{ name: heavy, api_key: key-weighted-heavy, weight: 3 }, { name: light, api_key: key-weighted-light }",
  reported:
    "{ name: a, api_key: key-reported-a }, { name: b, api_key: key-reported-b }, { name: c, api_key: key-reported-c }",
  conversing:
    "{ name: a, api_key: key-conversing-a }, { name: b, api_key: key-conversing-b }, { name: c, api_key: key-conversing-c }",
  scattered:
    "{ name: a, api_key: key-scattered-a }, { name: b, api_key: key-scattered-b }, { name: c, api_key: key-scattered-c }",
  account:
    "{ name: a, api_key: key-account-a, account: x }, { name: b, api_key: key-account-b, account: x, priority: 1 }, { name: c, api_key: key-account-c, priority: 2 }",
} as const;
type Provider = keyof typeof providers;

const strategies = ["priority", "weighted", "least_latency", "least_cost"] as const;
const faults = {
  none: {},
  limited: { status: 429, "retry-after": 60 },
  "wrong key": { status: 401 },
  "out of credit": { status: 429, quota: 1 },
  slow: { latency: 250 },
  dead: { reset: 0 },
} as const;
type Strategy = (typeof strategies)[number];
type Fault = keyof typeof faults;

/** Every strategy with every fault has two upstreams of its own, of which the first has the fault, and the lower cost. */
const table = strategies.flatMap((strategy) => (Object.keys(faults) as Fault[]).map((fault) => ({ strategy, fault })));
const idOf = (strategy: Strategy, fault: Fault): string =>
  `${strategy}-${fault.replaceAll(" ", "-")}`.replace("_", "-");
const upstreamsOf = (id: string): readonly string[] => [`${id}-first`, `${id}-second`];

let simulator: LocalSimulator;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

before(async () => {
  simulator = resources.use(await startSimulator());
  const rows = Object.entries(providers).map(
    ([name, credentials]) =>
      `  ${name}: { protocol: openai, base_url: "${simulator.url}/openai/v1", credentials: [${credentials}] }`,
  );
  const faulty = [...table.map(({ strategy, fault }) => idOf(strategy, fault)), "bursting"];
  for (const name of faulty.flatMap(upstreamsOf))
    rows.push(
      `  ${name}: { protocol: openai, base_url: "${simulator.url}/openai/v1", credentials: [{ name: ${name}, api_key: key-${name} }] }`,
    );
  const traits =
    "owned_by: o, created: 0, operations: [chat.completions], context_tokens: 128000, max_output_tokens: 4096, price: { input_tokens: 1, cached_input_tokens: 0.1, output_tokens: 2 }";
  const models = Object.keys(providers).map(
    (name) => `  - { id: ${name}, ${traits}, upstreams: [{ provider: ${name}, model: gpt-4o-mini }] }`,
  );
  const rowed = table.map(({ strategy, fault }) => ({ strategy, id: idOf(strategy, fault) }));
  for (const { strategy, id } of [...rowed, { strategy: "priority", id: "bursting" }]) {
    const upstreams = upstreamsOf(id).map(
      (provider, place) =>
        `{ provider: ${provider}, model: gpt-4o-mini, priority: ${place}, cost: { output_tokens: ${1 + place} } }`,
    );
    models.push(`  - { id: ${id}, ${traits}, strategy: ${strategy}, upstreams: [${upstreams.join(", ")}] }`);
  }
  harness = resources.use(
    await startChat({ catalog: `providers:\n${rows.join("\n")}\nmodels:\n${models.join("\n")}\n` }),
  );
});
after(() => resources.disposeAsync());

let asked = 0;
/** Sends a request that belongs to no earlier conversation. */
function send(model: string, options: { routingStrategy?: string } = {}) {
  const content = `repeat 20 words\n${++asked}`;
  return harness.call("chat.completions", { model, messages: [{ role: "user", content }] }, options);
}

/** Sends such a request, and returns its bill with the response. */
async function ask(model: string) {
  const response = await send(model);
  const { settlement } = harness.admission.booked.at(-1) ?? assert.fail("nothing was admitted");
  assert.ok(settlement !== undefined, "nothing was billed");
  return {
    status: response.status,
    text: response.text,
    attempts: Number(response.header("x-gateway-attempts")),
    credential: response.header("x-gateway-credential"),
    routing: response.header("x-gateway-routing") ?? "",
    settlement,
  };
}

const fault = (key: string, faults: object) => setFault(simulator.url, faults, { key });

/** The simulator's calls of a test: status, and what it charges for. */
async function servedSince(start: number, count: number) {
  const entries = await waitFor(
    async () => {
      const all = await simulator.log();
      return all.length >= start + count ? all.slice(start) : undefined;
    },
    { what: `${count} calls at the simulator` },
  );
  return entries;
}

const unitsOf = (units: readonly { name: string; quantity: bigint }[], ...names: string[]): number =>
  units.reduce((sum, { name, quantity }) => sum + (names.includes(name) ? Number(quantity) : 0), 0);

test("a credential that is limited or rejected is replaced by the next without the client noticing, and is then avoided", async () => {
  const start = (await simulator.log()).length;
  await fault("key-ranked-a", { status: 429, "retry-after": 60 });
  const limited = await ask("ranked");
  assert.deepEqual([limited.status, limited.attempts, limited.credential], [200, 2, "b"], limited.text);
  assert.equal(limited.settlement.upstreamCredential, "b");
  assert.deepEqual(
    limited.settlement.failedAttempts.map(({ credential, credentialReason, failure, status }) => [
      credential,
      credentialReason,
      failure,
      status,
    ]),
    [["a", "priority", "capacity", 429]],
  );
  assert.equal(limited.routing, "credential=failover");
  const later = await ask("ranked");
  assert.deepEqual([later.attempts, later.credential, later.routing], [1, "b", "credential=rate_limit"]);
  assert.equal(later.settlement.credentialReason, "rate_limit");
  await fault("key-ranked-b", { status: 401 });
  const rejected = await ask("ranked");
  assert.deepEqual([rejected.status, rejected.attempts, rejected.credential], [200, 2, "c"], rejected.text);
  assert.equal(rejected.settlement.failedAttempts[0]?.failure, "operator");
  assert.doesNotMatch(JSON.stringify(rejected.settlement.failedAttempts), /key-ranked/);
  assert.equal((await ask("ranked")).attempts, 1);
  const served = await servedSince(start, 6);
  assert.deepEqual(
    served.map(({ status }) => status),
    [429, 200, 200, 401, 200, 200],
  );
  const bills = harness.admission.booked.slice(-4).map(({ settlement }) => settlement?.units ?? []);
  const charged = served.filter(({ charged }) => charged?.rule === "whole").map(({ usage }) => usage);
  assert.deepEqual(
    bills.map((units) => [unitsOf(units, "input_tokens", "cached_input_tokens"), unitsOf(units, "output_tokens")]),
    charged.map((usage) => [usage?.prompt_tokens, usage?.completion_tokens]),
    "each request is billed what the simulator charges for its one successful call",
  );
});

test("credentials of one priority share the calls by their weights", async () => {
  const chosen: (string | undefined)[] = [];
  for (let i = 0; i < 120; i++) chosen.push((await ask("weighted")).credential);
  const heavy = chosen.filter((name) => name === "heavy").length;
  assert.ok(heavy > 72 && heavy < 108, `${heavy} of 120, expected about 90`);
});

test("a limit that the provider reports is obeyed before a request is refused", async () => {
  await fault("key-reported-*", { rate: 5, "rate-ms": 60_000 });
  const start = (await simulator.log()).length;
  const counts: Record<string, number> = {};
  for (let i = 0; i < 15; i++) {
    const { status, attempts, credential = "", text } = await ask("reported");
    assert.deepEqual([status, attempts], [200, 1], text);
    counts[credential] = (counts[credential] ?? 0) + 1;
  }
  assert.deepEqual(counts, { a: 5, b: 5, c: 5 });
  assert.deepEqual(new Set((await servedSince(start, 15)).map(({ status }) => status)), new Set([200]));
  const refused = await ask("reported");
  assert.equal(refused.status, 429, "when no credential is left, the client learns the limit");
  assert.equal(refused.settlement.costNanoUsd, 0n);
});

test("credentials of one account are avoided together when its limit is reached", async () => {
  await fault("key-account-a", { status: 429, "retry-after": 60 });
  const { attempts, credential } = await ask("account");
  assert.deepEqual([attempts, credential], [2, "c"]);
});

const conversations = 20;
const turns = 10;
const inputUsd = 1;
const cachedUsd = 0.1;

/** The conversations' requests, turn by turn; each repeats the one before it and adds to it. */
function* turnsOf() {
  const histories = Array.from({ length: conversations }, (_, index) => [
    { role: "user", content: `conversation ${index}: ${"a long document ".repeat(500)}` },
  ]);
  for (let turn = 0; turn < turns; turn++) {
    for (const history of histories) {
      yield [...history];
      history.push({ role: "assistant", content: "Understood." }, { role: "user", content: `repeat 5 words\n${turn}` });
    }
  }
}

/** Holds the conversations; returns the share of the prompts that came from a cache, and what it saved. */
async function converse(model: Provider, more: () => object) {
  const credentials = new Map<string, Set<string | undefined>>();
  let [prompt, cached] = [0, 0];
  for (const messages of turnsOf()) {
    const response = await harness.call("chat.completions", { model, messages, max_tokens: 16, ...more() });
    assert.equal(response.status, 200, response.text);
    const units = harness.admission.booked.at(-1)?.settlement?.units ?? [];
    cached += unitsOf(units, "cached_input_tokens");
    prompt += unitsOf(units, "input_tokens", "cached_input_tokens");
    const [first] = messages;
    const used = credentials.get(first?.content ?? "") ?? new Set();
    credentials.set(first?.content ?? "", used.add(response.header("x-gateway-credential")));
  }
  return { share: cached / prompt, savedUsd: (cached * (inputUsd - cachedUsd)) / 1e6, credentials };
}

test("conversations stay on one credential, whose prompt cache has their beginning", async (t) => {
  const { share, savedUsd, credentials } = await converse("conversing", () => ({}));
  // A key that changes with every request leaves each to chance.
  const scattered = await converse("scattered", () => ({ prompt_cache_key: String(Math.random()) }));
  const percent = (of: number): string => `${(of * 100).toFixed(1)} %`;
  t.diagnostic(
    `cached share of ${conversations * turns} requests of ${conversations} conversations, 3 credentials: ` +
      `${percent(share)} with affinity (saves ${savedUsd.toFixed(4)} USD), ` +
      `${percent(scattered.share)} without (saves ${scattered.savedUsd.toFixed(4)} USD)`,
  );
  assert.equal(credentials.size, conversations);
  assert.ok([...credentials.values()].every((used) => used.size === 1));
  assert.equal(new Set([...credentials.values()].flatMap((used) => [...used])).size, 3, "all credentials have some");
  assert.ok(share > scattered.share + 0.1, `${share} and ${scattered.share}`);
});

test("a conversation moves to another credential while its own is limited, and returns to it", async () => {
  const messages = [{ role: "user", content: "A conversation of its own." }];
  const say = async () => {
    const response = await harness.call("chat.completions", { model: "conversing", messages });
    return [response.status, response.header("x-gateway-credential")];
  };
  const [, own] = await say();
  const end = await fault(`key-conversing-${own}`, { status: 429, "retry-after": 1 });
  const [status, other] = await say();
  assert.equal(status, 200);
  assert.notEqual(other, own);
  assert.deepEqual(await say(), [200, other]);
  await end();
  await setTimeout(1_100);
  assert.deepEqual(await say(), [200, own]);
});

/** Which reasons the calls that responded have. */
const reasons: Readonly<Record<Strategy, Readonly<Record<Fault, readonly string[]>>>> = {
  priority: {
    none: ["priority"],
    limited: ["failover", "rate_limit"],
    "wrong key": ["failover", "cooldown"],
    "out of credit": ["failover", "cooldown"],
    slow: ["priority"],
    dead: ["failover", "cooldown"],
  },
  weighted: {
    none: ["affinity"],
    limited: ["failover", "rate_limit", "affinity"],
    "wrong key": ["failover", "cooldown", "affinity"],
    "out of credit": ["failover", "cooldown", "affinity"],
    slow: ["affinity"],
    dead: ["failover", "cooldown", "affinity"],
  },
  least_latency: {
    none: ["latency", "affinity"],
    limited: ["failover", "rate_limit", "affinity"],
    "wrong key": ["failover", "cooldown", "affinity"],
    "out of credit": ["failover", "cooldown", "affinity"],
    slow: ["latency", "affinity"],
    dead: ["failover", "cooldown", "affinity"],
  },
  least_cost: {
    none: ["cost"],
    limited: ["failover", "rate_limit"],
    "wrong key": ["failover", "cooldown"],
    "out of credit": ["failover", "cooldown"],
    slow: ["cost"],
    dead: ["failover", "cooldown"],
  },
};

/** How many of the table's requests the first upstream serves, of `tableRequests`. */
const tableRequests = 24;
const byFirst: Readonly<Record<Strategy, Readonly<Record<Fault, readonly [least: number, most: number]>>>> = {
  priority: {
    none: [24, 24],
    limited: [0, 0],
    "wrong key": [0, 0],
    "out of credit": [0, 0],
    slow: [24, 24],
    dead: [0, 0],
  },
  weighted: {
    none: [4, 20],
    limited: [0, 0],
    "wrong key": [0, 0],
    "out of credit": [0, 0],
    slow: [4, 20],
    dead: [0, 0],
  },
  least_latency: {
    none: [1, 23],
    limited: [0, 0],
    "wrong key": [0, 0],
    "out of credit": [0, 0],
    slow: [0, 2],
    dead: [0, 0],
  },
  least_cost: {
    none: [24, 24],
    limited: [0, 0],
    "wrong key": [0, 0],
    "out of credit": [0, 0],
    slow: [24, 24],
    dead: [0, 0],
  },
};

for (const { strategy, fault: name } of table) {
  test(`strategy ${strategy}, first upstream ${name}: every request succeeds, is billed once, and goes where it should`, async (t) => {
    const id = idOf(strategy, name);
    if (name !== "none") await fault(`key-${id}-first`, faults[name]);
    const start = (await simulator.log()).length;
    let [answeredByFirst, calls] = [0, 0];
    const routed = new Map<string, number>();
    const billed: (readonly [number, number])[] = [];
    for (let i = 0; i < tableRequests; i++) {
      const { status, text, attempts, credential, routing, settlement } = await ask(id);
      assert.equal(status, 200, text);
      const reason = routing.replace("provider=", "");
      assert.equal(settlement.upstreamReason, reason);
      routed.set(reason, (routed.get(reason) ?? 0) + 1);
      if (credential === `${id}-first`) answeredByFirst++;
      calls += attempts;
      const { units } = settlement;
      billed.push([unitsOf(units, "input_tokens", "cached_input_tokens"), unitsOf(units, "output_tokens")]);
    }
    const served = await servedSince(start, calls);
    const charged = served.filter((call) => call.charged?.rule === "whole").map(({ usage }) => usage);
    const failed = served.length - charged.length;
    t.diagnostic(
      `${strategy} x ${name}: first ${answeredByFirst}, second ${tableRequests - answeredByFirst} of ${tableRequests} ` +
        `(${[...routed].map((each) => each.join(": ")).join(", ")}); ` +
        `${failed} failed calls, none seen by the client; ${billed.length} billed, ${charged.length} charged by the provider`,
    );
    assert.deepEqual(
      billed,
      charged.map((usage) => [usage?.prompt_tokens, usage?.completion_tokens]),
    );
    const expected = reasons[strategy][name];
    assert.ok(
      [...routed.keys()].every((reason) => expected.includes(reason)),
      [...routed.keys()].join(),
    );
    const [least, most] = byFirst[strategy][name];
    assert.ok(answeredByFirst >= least && answeredByFirst <= most, `${answeredByFirst} by the first`);
  });
}

test("a key's own strategy replaces its model's, and one that is not known leaves the model's", async () => {
  const id = idOf("priority", "none");
  const reasonsOf = async (routingStrategy: string) => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => send(id, { routingStrategy })));
    return [...new Set(responses.map((response) => response.header("x-gateway-routing")))];
  };
  assert.deepEqual(await reasonsOf("weighted"), ["provider=affinity"]);
  assert.deepEqual(await reasonsOf("of_a_later_release"), ["provider=priority"]);
  assert.deepEqual(await reasonsOf(""), ["provider=priority"]);
});

test("an upstream of which too many concurrent calls fail is a last resort, and no request fails or is billed twice", async (t) => {
  const id = "bursting";
  await fault(`key-${id}-first`, { status: 500, latency: 1_000 });
  const start = (await simulator.log()).length;
  const booked = harness.admission.booked.length;
  const burst = await Promise.all(Array.from({ length: 40 }, () => send(id)));
  assert.deepEqual([...new Set(burst.map(({ status }) => status))], [200]);
  const later = await ask(id);
  assert.deepEqual([later.attempts, later.routing, later.credential], [1, "provider=circuit_open", `${id}-second`]);
  const bills = harness.admission.booked.slice(booked).map(({ settlement }) => settlement?.units ?? []);
  const calls = burst.reduce((sum, response) => sum + Number(response.header("x-gateway-attempts")), 1);
  const served = await servedSince(start, calls);
  const charged = served.filter((call) => call.charged?.rule === "whole");
  t.diagnostic(`40 concurrent requests: ${served.length} calls, ${charged.length} charged, ${bills.length} bills`);
  assert.deepEqual([served.length, charged.length, bills.length], [calls, 41, 41]);
  const tokens = (counts: readonly (number | undefined)[]): number => counts.reduce<number>((a, b = 0) => a + b, 0);
  assert.equal(
    tokens(bills.map((units) => unitsOf(units, "output_tokens"))),
    tokens(charged.map(({ usage }) => usage?.completion_tokens)),
  );
});
