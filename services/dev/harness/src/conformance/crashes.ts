import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Outcome, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { CrashPoint } from "@uag/runtime/crash-point";
import { newId } from "@uag/runtime/ids";
import { Journal } from "@uag/usage/journal/journal";
import { decodeRecord } from "@uag/usage/records";
import { type Backend, startBackend } from "../backend.ts";
import { replica } from "../replica.ts";
import { waitFor } from "../testing/wait-for.ts";
import { startUpstream, type TestUpstream } from "../upstream.ts";
import type { Served } from "./served.ts";
import { type VictimTask, victimEnv } from "./victim.ts";

interface Stage {
  readonly title: string;
  readonly point: CrashPoint;
  /** What the upstream sends before the process is killed. */
  readonly respond: (served: Served, response: ServerResponse) => void | Promise<void>;
  /** The records of the request in the journal of its dead process. */
  readonly records: readonly string[];
  /** How the next process settles them. */
  readonly settled: (event: UsageEvent | undefined) => void;
}

const nothing = (): void => undefined;
const all: Stage["respond"] = (served, response) => served.respond(response);
const firstBytes: Stage["respond"] = ({ stream }, response) => {
  stream?.begin(response);
  response.write(stream?.piece);
};

const stages: readonly Stage[] = [
  {
    title: "settles nothing for a request that was admitted but not yet journaled: no upstream was called",
    point: "admitted",
    respond: all,
    records: [],
    settled: (event) => assert.equal(event, undefined),
  },
  {
    title: "settles a request with only its start in the journal as crashed, at no cost",
    point: "journalled",
    respond: nothing,
    records: ["started"],
    settled: (event) => assert.deepEqual([event?.outcome, event?.costNanoUsd], [Outcome.CRASHED, 0n]),
  },
  {
    title: "settles a request with its bill in the journal once, exactly as billed",
    point: "billed",
    respond: all,
    records: ["started", "final"],
    settled(event) {
      assert.equal(event?.outcome, Outcome.COMPLETED);
      assert.ok(event.costNanoUsd > 0n, "the request has a cost");
    },
  },
];

const byCheckpoint: ReadonlySet<SettlementRule | undefined> = new Set([
  SettlementRule.LAST_CHECKPOINT,
  SettlementRule.UPPER_BOUND,
]);

const streamStages: readonly Stage[] = [
  {
    title: "settles a stream whose first bytes had arrived as crashed, at a cost, by a rule that its receipt names",
    point: "checkpointed",
    respond: firstBytes,
    records: ["started"],
    settled(event) {
      assert.equal(event?.outcome, Outcome.CRASHED);
      assert.ok(byCheckpoint.has(event.settlementRule), `the receipt names ${event.settlementRule}`);
      assert.ok(event.costNanoUsd > 0n, "the request has a cost");
      assert.ok(event.costNanoUsd <= event.holdNanoUsd, `${event.costNanoUsd} of ${event.holdNanoUsd}`);
    },
  },
];

const fundsNanoUsd = 1_000_000_000_000n;
const quick = { publish: { gatherMs: 20, confirmMs: 50, republishMs: 1_000 }, idleMs: 200 };

/** The file that calls `conformance`, and its cases. */
interface CrashOptions {
  readonly file: string;
  readonly cases: readonly Served[];
}

/**
 * Declares the tests of what remains of a request whose process is killed with -9, and of what the
 * next process does with it. Billing, metering, journal, NATS and MongoDB are real. One case
 * represents all with the same kind of response.
 */
export function crashes({ file, cases }: CrashOptions): void {
  const opened = new AsyncDisposableStack();
  let backend: Backend;
  let upstream: TestUpstream;
  before(async () => {
    backend = opened.use(await startBackend());
    upstream = opened.use(await startUpstream());
  });
  after(() => opened.disposeAsync());
  for (const served of kindsOf(cases)) {
    describe(`the process that adopts the journal of one killed with SIGKILL while serving ${served.name}`, () => {
      for (const stage of [...stages, ...(served.stream === undefined ? [] : streamStages)])
        test(stage.title, async () => {
          upstream.script = (_, response) => stage.respond(served, response);
          const account = await backend.account(fundsNanoUsd);
          const task = { served: cases.indexOf(served), account, requestId: newId("req") };
          await killAt(stage.point, task, { file, backend, upstream });
          assert.deepEqual(await recordsOf(backend.journalDir, task.requestId), stage.records);
          await using _heir = await replica(backend.env, quick);
          await waitFor(async () => (await journalsIn(backend.journalDir)).length === 1, {
            what: "the journal to be adopted",
          });
          const events = await backend.events(account);
          assert.ok(events.length <= 1, "the request is settled at most once");
          stage.settled(events[0]);
          await waitFor(async () => (await moneyOf(backend, account)).heldNanoUsd === 0n, {
            what: "the hold to be released",
          });
          const { availableNanoUsd } = await moneyOf(backend, account);
          assert.equal(availableNanoUsd, fundsNanoUsd - (events[0]?.costNanoUsd ?? 0n));
        });
    });
  }
}

/** A streamed case and one that is not, where they exist. */
function kindsOf(cases: readonly Served[]): readonly Served[] {
  const whole = cases.find(({ stream }) => stream === undefined);
  const streamed = cases.find(({ stream }) => stream !== undefined);
  return [whole, streamed].filter((served) => served !== undefined);
}

const moneyOf = (backend: Backend, id: string) => backend.accounts.getAccount({ id });

async function killAt(
  point: CrashPoint,
  task: VictimTask,
  { file, backend, upstream }: { file: string; backend: Backend; upstream: TestUpstream },
): Promise<void> {
  const env = { ...process.env, ...backend.env, ...victimEnv(upstream.url), CRASH_AT: `${point}:1` };
  const victim: ChildProcess = fork(file, { env });
  const ended = once(victim, "exit");
  let response: unknown;
  victim.on("message", (message) => {
    if (message === "ready") victim.send(task);
    else response = message;
    if (message !== "ready") victim.kill("SIGTERM");
  });
  await ended;
  assert.deepEqual([victim.signalCode, response], ["SIGKILL", undefined], `the process was killed at ${point}`);
}

/** The journals of a directory shared by processes. */
async function journalsIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.includes("@"));
}

/** A request's records in the journals, in order, without checkpoints; read from a copy. */
async function recordsOf(dir: string, requestId: string): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), "journal-copy-"));
  const found: string[] = [];
  const fail = (fault: unknown): never => assert.fail(`the journal is damaged: ${JSON.stringify(fault)}`);
  for (const name of await journalsIn(dir)) {
    await cp(join(dir, name), join(copy, name), { recursive: true });
    await using journal = await Journal.open(join(copy, name), { damaged: fail, failed: fail });
    for (let at = journal.start; ; ) {
      const next = await journal.read(at, (payload) => {
        const { kind } = decodeRecord(payload);
        if (kind !== undefined && kind.$case !== "checkpoint" && kind.value.requestId === requestId)
          found.push(kind.$case);
        return true;
      });
      if (next.segment === at.segment && next.offset === at.offset) break;
      at = next;
    }
  }
  await rm(copy, { recursive: true });
  return found;
}
