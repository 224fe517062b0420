import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { reconcileSchema } from "@uag/auditor/reconcile/config";
import { reconcile } from "@uag/auditor/reconcile/reconcile";
import { type Cell, costUnit, type DayResult, exitCodeOf } from "@uag/auditor/reconcile/result";
import { openReconciler, type Reconciler } from "@uag/auditor/reconcile/schedule";
import { adminApi } from "@uag/cli/commands/admin-api";
import { setFault } from "@uag/harness/fleet/faults";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { roomInHour } from "@uag/harness/testing/room-in-hour";
import { repoRoot } from "@uag/local/paths";
import { dayAfter, dayOf } from "@uag/runtime/utc-days";

const dayMs = 86_400_000;
const usagePath = "/openai/v1/organization/usage/completions";
const costPath = "/openai/v1/organization/costs";

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runCommand(dataDir: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const argv = ["services/dev/cli/src/commands/reconcile.ts", ...args];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      argv,
      { cwd: repoRoot, env: { ...process.env, DATA_DIR: dataDir, ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const say = (text: string) => [{ role: "user", content: text }];

/** Requests of every kind that the two providers report. */
async function mixedLoad({ client }: TestFleet): Promise<void> {
  const chat = "/v1/chat/completions";
  const story = "Once upon a time there was a gateway. ".repeat(300);
  const requests: [path: string, body: object][] = [
    [chat, { model: "gpt-4o-mini", messages: say("one") }],
    [chat, { model: "gpt-4o-mini", messages: say("two"), stream: true, stream_options: { include_usage: true } }],
    [chat, { model: "gpt-5", messages: say("three"), reasoning_effort: "low" }],
    [chat, { model: "gpt-4.1", messages: say(story) }],
    [chat, { model: "gpt-4.1", messages: say(story) }],
    ["/v1/responses", { model: "gpt-5-mini", input: "four" }],
    ["/v1/messages", { model: "gpt-4o", max_tokens: 64, messages: say("five") }],
    ["/v1/embeddings", { model: "text-embedding-3-small", input: ["six", "seven"] }],
    ["/v1/images/generations", { model: "gamma-image-1", prompt: "eight", size: "1024x1024", quality: "low" }],
    ["/v1/images/generations", { model: "delta-2", prompt: "nine", size: "512x512", n: 2 }],
    ["/v1/messages", { model: "claude-haiku-4-5", max_tokens: 64, messages: say("ten") }],
    [chat, { model: "claude-sonnet-4-5", max_tokens: 64, messages: say("eleven"), stream: true }],
    [
      "/v1/messages",
      {
        model: "claude-sonnet-4-5",
        max_tokens: 64,
        system: [{ type: "text", text: story, cache_control: { type: "ephemeral" } }],
        messages: say("twelve"),
      },
    ],
  ];
  for (const [path, body] of requests) {
    const { status, text } = await client.post(path, body);
    assert.equal(status, 200, `${path} ${text}`);
  }
}

const driftOf = ({ cells }: DayResult): Cell[] => cells.filter(({ state }) => state === "drifts");
const differences = (result: DayResult): (readonly [string, string, bigint])[] =>
  driftOf(result).map(({ model, unit, ours, theirs }) => [model, unit, (ours ?? 0n) - (theirs ?? 0n)] as const);

describe("the reconciliation of our bill with the provider's", () => {
  let fleet: TestFleet;
  let reconciler: Reconciler;
  let today: string;
  const resources = new AsyncDisposableStack();

  /** Compares a day as if two days had passed since, with zero tolerance. */
  const compared = async (provider: string, day = today): Promise<DayResult> => {
    const reports = reconciler.reports.get(provider);
    assert.ok(reports !== undefined);
    const parts = { ...reconciler, now: () => Date.now() + 2 * dayMs };
    const [result] = await reconcile(parts, provider, reports, { first: day, last: day });
    assert.ok(result !== undefined);
    return result;
  };
  const stored = async (provider: string) => (await reconciler.store.since(provider, today))[0];

  before(async () => {
    await roomInHour();
    today = dayOf(Date.now());
    const closed = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<TestFleet>();
    const running = withTemporaryDir(async (dataDir) => {
      opened.resolve(await startTestFleet({ dataDir, single: true }));
      await closed.promise;
    });
    running.catch(opened.reject);
    fleet = await opened.promise;
    resources.defer(async () => {
      await fleet[Symbol.asyncDispose]();
      closed.resolve();
      await running;
    });
    const config = reconcileSchema.parse({
      MONGODB_URL: fleet.run.mongodb_url,
      MONGODB_DATABASE: "audit",
      OPENAI_ADMIN_KEY: "simulator",
      OPENAI_ADMIN_BASE_URL: `${fleet.run.simulator_url}/openai/v1`,
      ANTHROPIC_ADMIN_KEY: "simulator",
      ANTHROPIC_ADMIN_BASE_URL: `${fleet.run.simulator_url}/anthropic`,
      RECONCILE_TOLERANCE_PERCENT: "0",
    });
    reconciler = await openReconciler(config, {}, resources);
    await mixedLoad(fleet);
    assert.deepEqual((await fleet.audit()).violations, []);
  });
  after(() => resources.disposeAsync());

  test("shows no drift over a mixed load, by token and by nano-dollar", async () => {
    for (const [provider, models] of [
      ["openai", ["gpt-4o-mini", "gpt-5", "text-embedding-3-small", "gpt-image-1", "dall-e-2"]],
      ["anthropic", ["claude-haiku-4-5", "claude-sonnet-4-5"]],
    ] as const) {
      const result = await compared(provider);
      assert.deepEqual([result.state, result.settled, driftOf(result)], ["agrees", true, []], provider);
      const total = result.cells.find(({ model, unit }) => model === "" && unit === costUnit);
      assert.ok(total !== undefined && (total.ours ?? 0n) > 0n && (total.theirs ?? 0n) > 0n);
      for (const model of models)
        assert.ok(
          result.cells.some((cell) => cell.model === model && (cell.ours ?? 0n) > 0n),
          model,
        );
    }
  });

  test("shows exactly the planted drift in usage and cost", async () => {
    const ofUsage = await setFault(fleet.run.simulator_url, { "report-drift": 7 }, { path: usagePath });
    assert.deepEqual(
      differences(await compared("openai")).map(([, unit, difference]) => [unit, difference]),
      [["input_tokens", -7n]],
    );
    await ofUsage();
    const clear = await setFault(fleet.run.simulator_url, { "report-drift": 1_000_000 }, { path: costPath });
    const [total, ...models] = differences(await compared("openai"));
    assert.deepEqual([total?.[0], total?.[1], models.length], ["", costUnit, 1]);
    const rounding = 100n;
    assert.ok(total !== undefined && total[2] <= -1_000_000n + rounding && total[2] >= -1_000_000n, String(total?.[2]));
    await clear();
    assert.equal((await compared("openai")).state, "agrees");
  });

  test("reports a day as unreadable, not as 0, if its bucket is missing or the admin key is refused", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "report-missing": today }, { path: usagePath });
    const missing = await compared("openai");
    assert.equal(missing.state, "unreadable");
    assert.match(missing.unreadable.join(), /usage report does not include/);
    assert.ok(missing.cells.every(({ unit }) => unit === costUnit));
    await clear();
    const refused = await setFault(fleet.run.simulator_url, { status: 401 }, { path: usagePath });
    assert.match((await compared("openai")).unreadable.join(), /refused the admin key.*Set OPENAI_ADMIN_KEY/);
    await refused();
  });

  test("uses a late or revised report", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "report-late": 3_600 }, { path: "/anthropic/*" });
    const late = await compared("anthropic");
    assert.equal(late.state, "drifts");
    assert.ok(late.cells.every(({ theirs }) => theirs === 0n || theirs === null));
    const before = (await stored("anthropic"))?.revisions ?? 0;
    await clear();
    assert.equal((await compared("anthropic")).state, "agrees");
    assert.equal((await stored("anthropic"))?.revisions, before + 1);
  });

  test("reads a report of several pages", async () => {
    const reports = reconciler.reports.get("openai");
    assert.ok(reports !== undefined);
    const results = await reconcile(reconciler, "openai", reports, { first: dayAfter(today, -40), last: today });
    assert.equal(results.length, 41);
    assert.deepEqual(
      results.map(({ state }) => state).filter((state) => state !== "agrees"),
      [],
    );
  });

  test("the admin API lists the comparisons with exact figures and coverage", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "report-drift": 7 }, { path: usagePath });
    await compared("openai");
    await clear();
    interface Listed {
      readonly provider: string;
      readonly day: string;
      readonly state: string;
      readonly figures: readonly {
        readonly unit: string;
        readonly difference: string | null;
        readonly state: string;
      }[];
    }
    const rows: Listed[] = [];
    for await (const row of adminApi(fleet.run).rows("/reconciliations", { provider: "openai", limit: undefined }))
      rows.push(row as Listed);
    assert.deepEqual([rows[0]?.day, rows[0]?.state], [today, "drifts"]);
    const drifting = rows[0]?.figures.filter(({ state }) => state === "drifts");
    assert.deepEqual(
      drifting?.map(({ unit, difference }) => [unit, difference]),
      [["input_tokens", "-7"]],
    );
  });

  test("npm run reconcile exits with 0, 2 or 3 and prints the reason", async () => {
    const args = ["--provider", "openai", "--from", today, "--to", today, "--strict"];
    const agreed = await runCommand(fleet.dataDir, [...args, "--all"]);
    assert.equal(agreed.code, 0, agreed.stdout + agreed.stderr);
    assert.match(agreed.stdout, /gpt-4o-mini +input_tokens +(\d+) +\1 +0 +100\.00 % +agrees/);
    const clear = await setFault(fleet.run.simulator_url, { "report-drift": 5_000 }, { path: usagePath });
    const drifted = await runCommand(fleet.dataDir, args);
    assert.equal(drifted.code, 2, drifted.stdout + drifted.stderr);
    assert.match(drifted.stdout, / -5000 .* drifts/);
    // The day is not over, so a difference may still be in flight.
    assert.equal((await runCommand(fleet.dataDir, args.slice(0, -1))).code, 0);
    await clear();
    const refused = await runCommand(fleet.dataDir, args, {
      OPENAI_ADMIN_KEY: "bad-key",
      OPENAI_ADMIN_BASE_URL: `${fleet.run.simulator_url}/openai/v1`,
    });
    assert.equal(refused.code, 3, refused.stdout + refused.stderr);
    assert.match(refused.stdout, /Set OPENAI_ADMIN_KEY to an admin key/);
    const wrong = await runCommand(fleet.dataDir, ["--from", "2026-02-30"]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /"2026-02-30" is not a day/);
    assert.match((await runCommand(fleet.dataDir, ["--help"])).stdout, /--tolerance/);
  });

  test("a drift's exit code takes precedence over that of an unreadable day", () => {
    const day = { provider: "x", day: today, settled: true, unreadable: [], requests: 0n, estimated: 0n };
    const cell: Cell = { model: "m", unit: "u", ours: 1n, theirs: 2n, slack: 0n, state: "drifts" };
    const unreadable: DayResult = { ...day, state: "unreadable", cells: [] };
    assert.equal(exitCodeOf([unreadable]), 3);
    assert.equal(exitCodeOf([unreadable, { ...day, state: "drifts", cells: [cell] }]), 2);
    assert.equal(exitCodeOf([]), 0);
  });
});
