import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { serviceNames } from "@uag/contract/routes";
import type { TestClient } from "@uag/harness/fleet/client";
import { newEmptyAccount } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import type { TurnReport } from "../src/abuse/turn-probe.ts";
import { TurnProbes } from "../src/abuse/turns.ts";
import { worstBodies } from "./bodies/worst-bodies.ts";

/**
 * Maximum wait of other requests, in processor time. The target is 50 ms; a busy machine with slow
 * memory takes several times that.
 */
const maxTurnMs = 150;
const maxGrowthBytes = 250 * 1024 * 1024;
/** A rejection of the key would hide what happens to the body. */
const unlimited = { FREE_REQUESTS_PER_MINUTE: "1000000" };
/** A fleet's services, each by its process. */
const watched = ["router", ...serviceNames];

const message = [{ role: "user", content: "Hi" }];
const alphaInput = { messages: [{ role: "user", content: [{ text: "a cat" }] }] };
interface Target {
  readonly path: string;
  readonly good: { readonly model: string } & Record<string, unknown>;
  /** The member of the body that gets another value. */
  readonly member: string;
}

const targets: readonly Target[] = [
  { path: "/v1/chat/completions", good: { model: "gpt-4o-mini", messages: message }, member: "messages" },
  { path: "/v1/messages", good: { model: "claude-haiku-4-5", max_tokens: 5, messages: message }, member: "messages" },
  {
    path: "/v1/messages/count_tokens",
    good: { model: "claude-haiku-4-5", messages: message },
    member: "messages",
  },
  { path: "/v1/embeddings", good: { model: "text-embedding-3-small", input: "Hi" }, member: "input" },
  { path: "/v1/audio/speech", good: { model: "alpha3-tts-flash", input: "Hi" }, member: "input" },
  { path: "/v1/images/generations", good: { model: "alpha-image-2.0", input: alphaInput }, member: "input" },
  { path: "/v1/images/generations", good: { model: "seedream-4-0", prompt: "a cat" }, member: "image" },
  {
    path: "/v1/videos/generations",
    good: { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "a cat" } },
    member: "input",
  },
];

describe("request bodies of any content neither delay other requests nor grow a process", () => {
  const resources = new AsyncDisposableStack();
  let fleet: TestFleet;
  let turns: TurnProbes;
  let poor: TestClient;

  before(async () => {
    const dir = await mkdtemp(join(tmpdir(), "bodies-"));
    resources.defer(() => rm(dir, { recursive: true, force: true }));
    turns = await TurnProbes.in(join(dir, "p"));
    fleet = resources.use(await startTestFleet({ dataDir: join(dir, "data"), env: { ...turns.env, ...unlimited } }));
    poor = (await newEmptyAccount(fleet)).client;
    for (const { path, good } of targets) await fleet.client.post(path, good);
  });
  after(() => resources.disposeAsync());

  const reports = (): Promise<Map<string, TurnReport>> => turns.read(fleet.run, watched);

  for (const { path, good, member } of targets) {
    test(`POST ${path} rejects the worst bodies for ${good.model} without blocking an event loop`, async () => {
      const problems: string[] = [];
      for (const { what, text } of worstBodies(good, member)) {
        await reports();
        const { status, text: reported } = await poor.post(path, text);
        const [max, growth] = worstOf(await reports());
        if (process.env["TEST_LOG"]) console.log(path, what, status, reported.slice(0, 100), max, growth);
        if (status < 400 || status >= 500 || status === 429) problems.push(`${what}: ${status}`);
        if (max.value > maxTurnMs) problems.push(`${what}: ${max.name} is busy for ${max.value} ms`);
        if (growth.value > maxGrowthBytes) problems.push(`${what}: ${growth.name} grows by ${growth.value} bytes`);
      }
      assert.deepEqual(problems, []);
    });
  }
});

interface Worst {
  readonly name: string;
  readonly value: number;
}

function worstOf(all: ReadonlyMap<string, TurnReport>): [max: Worst, growth: Worst] {
  const named = (value: (report: TurnReport) => number): Worst[] =>
    [...all].map(([name, report]) => ({ name, value: Math.round(value(report)) }));
  const worst = (list: Worst[]): Worst => list.reduce((a, b) => (b.value > a.value ? b : a));
  return [worst(named(({ maxMs }) => maxMs)), worst(named(({ grownBytes }) => grownBytes))];
}
