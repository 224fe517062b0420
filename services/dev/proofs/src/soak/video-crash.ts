import type { TestClient } from "@uag/harness/fleet/client";
import type { Receiver } from "@uag/harness/fleet/receiver";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { type CrashPoint, taskCrashPoints } from "@uag/runtime/crash-point";
import { dieAt } from "./crash.ts";
import { type Funds, type FundsName, openFunds } from "./funds.ts";
import { allEnded, submitAll } from "./video-load.ts";
import { newSecret } from "./video-secret.ts";

/** A task's price is known when it is submitted: it never costs more than its hold. */
export const taskFunds = ["budget", "account-end", "capped"] as const satisfies readonly FundsName[];
/** The points of a task, and of its provider's call. */
export const taskPoints: readonly CrashPoint[] = [...taskCrashPoints, "upstream-sent"];

/** The cost of one or two tasks, nano-USD. */
const portion = 600_000_000n;
const victim = "video";
/** Tasks submitted at a time; more than a capped key may have open. */
const tasksPerDeath = 4;
const endMs = 120_000;

export interface TaskDeaths {
  /** Deaths by source of funds and point. */
  readonly deaths: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How often a source was short of money or permits. */
  readonly atEdge: Readonly<Record<string, number>>;
  readonly kills: number;
  /** Clients of accounts other than the fleet's own. */
  readonly others: readonly TestClient[];
  readonly violations: readonly string[];
}

export type TaskFunds = (typeof taskFunds)[number];

export interface CrashTasksOptions {
  readonly funds: readonly TaskFunds[];
  readonly receiver: Receiver;
  /** Ids returned to clients. */
  readonly reported: string[];
  readonly report?: ((line: string) => void) | undefined;
}

/** Dies once at each point under tasks of one source alone. */
async function dieEverywhere(
  fleet: TestFleet,
  { funds, name }: { readonly funds: Funds; readonly name: FundsName },
  { receiver, reported, report }: CrashTasksOptions,
): Promise<Record<string, number>> {
  const [client] = funds.clients as [TestClient];
  const deaths: Record<string, number> = {};
  const refused = (outcome: string): void => funds.seen(outcome);
  for (const [seed, point] of taskPoints.entries()) {
    report?.(`${name}: ${point}`);
    const common = { concurrency: tasksPerDeath, url: receiver.url, submitMs: [], reported, refused };
    // A point late in a task's life needs more of them: submissions continue until it has died.
    let over = false;
    const submitting = (async () => {
      for (let n = 0; !over; n++)
        await submitAll(client, { ...common, tasks: tasksPerDeath, seed: `${name}-${seed}-${n}` });
    })();
    const died = dieAt(fleet, victim, `${point}:1`).finally(() => {
      over = true;
    });
    await Promise.all([died, submitting]);
    deaths[point] = 1;
    await allEnded(client, endMs);
  }
  return deaths;
}

/**
 * Kills a video process at every point of a task's life, for each source of funds. The other
 * replicas are down meanwhile, as the router might send them every task.
 */
export async function crashTasks(fleet: TestFleet, options: CrashTasksOptions): Promise<TaskDeaths> {
  const { processes } = fleet;
  const replicas = processes.names().filter((name) => name.startsWith(`${victim}-`));
  await Promise.all(replicas.map((name) => processes.takeDown(name)));
  const done = await crashBySource(fleet, options);
  await Promise.all(replicas.map((name) => processes.restart(name)));
  await Promise.all(replicas.map((name) => processes.ready(name)));
  return done;
}

async function crashBySource(fleet: TestFleet, options: CrashTasksOptions): Promise<TaskDeaths> {
  const deaths: Record<string, Record<string, number>> = {};
  const atEdge: Record<string, number> = {};
  const others: TestClient[] = [];
  for (const name of options.funds) {
    await using funds = await openFunds(fleet, name, portion);
    if (funds.accountId !== undefined) {
      options.receiver.otherSecrets.push(await newSecret(fleet, funds.accountId));
      others.push(...funds.clients);
    }
    deaths[name] = await dieEverywhere(fleet, { funds, name }, options);
    atEdge[name] = await funds.atEdge();
  }
  const violations = Object.entries(atEdge)
    .filter(([, count]) => count === 0)
    .map(([name]) => `The funds "${name}" were never exhausted.`);
  return { deaths, atEdge, kills: 2 * options.funds.length * taskPoints.length, others, violations };
}
