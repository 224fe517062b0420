import { setTimeout as sleep } from "node:timers/promises";
import { HttpPools } from "@uag/providers/http/pools";
import { proxiesOf } from "@uag/providers/http/proxies";
import type { DayRange, ProviderReports } from "@uag/providers/reports/types";
import { type Clock, systemClock } from "@uag/runtime/clock";
import { dayAfter, dayOf } from "@uag/runtime/utc-days";
import type { AuditorConfig } from "../config.ts";
import type { AuditorEvents } from "../events.ts";
import { connect } from "../store.ts";
import type { ReconcileConfig } from "./config.ts";
import { reportsOf } from "./providers.ts";
import { type ReconcileParts, reconcile } from "./reconcile.ts";
import type { DayResult } from "./result.ts";
import { reconciliationStore } from "./store.ts";

/** What comparisons need, and the providers that can be compared. */
export interface Reconciler extends ReconcileParts {
  readonly reports: ReadonlyMap<string, ProviderReports>;
}

const hourMs = 3_600_000;

/**
 * Connects to metering's database and the auditor's own; `stack` closes both.
 * @param clock by which days end: the database's in a service, this machine's in a command
 */
export async function openReconciler(
  config: ReconcileConfig,
  env: NodeJS.ProcessEnv,
  stack: AsyncDisposableStack,
  clock: Pick<Clock, "now"> = systemClock,
): Promise<Reconciler> {
  const metering = await connect(config.MONGODB_URL, config.METERING_DATABASE);
  stack.defer(() => metering.close());
  const own = await connect(config.MONGODB_URL, config.MONGODB_DATABASE);
  stack.defer(() => own.close());
  const pools = stack.use(new HttpPools({ proxies: proxiesOf(env) }));
  const { db } = metering;
  if (db === undefined) throw new Error("the connection to MongoDB is not open");
  const settledAfterMs = config.RECONCILE_SETTLED_HOURS * hourMs;
  return {
    metering: db,
    store: reconciliationStore(own),
    tolerance: { ppm: config.RECONCILE_TOLERANCE_PERCENT, settledAfterMs },
    now: () => clock.now(),
    reports: reportsOf(config, pools),
  };
}

/** The days up to yesterday (UTC) that are compared regularly. */
function recentDays(count: number, nowMs: number): DayRange {
  const today = dayOf(nowMs);
  return { first: dayAfter(today, -count), last: dayAfter(today, -1) };
}

/** Compares the last days of every provider that can be compared. */
export async function reconcileRecent(
  reconciler: Reconciler,
  config: ReconcileConfig,
  events: Pick<AuditorEvents, "reconciled">,
): Promise<DayResult[]> {
  const all: DayResult[] = [];
  const days = recentDays(config.RECONCILE_DAYS, reconciler.now());
  for (const [provider, reports] of reconciler.reports) {
    const results = await reconcile(reconciler, provider, reports, days);
    events.reconciled(provider, new Date(reconciler.now()), results);
    all.push(...results);
  }
  return all;
}

/** Reports earlier comparisons; returns the age of the oldest one of yesterday, milliseconds. */
async function announceStored(
  reconciler: Reconciler,
  config: ReconcileConfig,
  events: Pick<AuditorEvents, "reconciled">,
): Promise<number> {
  const { first, last } = recentDays(config.RECONCILE_DAYS, reconciler.now());
  let oldest = 0;
  for (const provider of reconciler.reports.keys()) {
    const stored = await reconciler.store.since(provider, first);
    const yesterday = stored.find(({ day }) => day === last);
    if (yesterday === undefined) return Number.POSITIVE_INFINITY;
    events.reconciled(provider, yesterday.at, stored);
    oldest = Math.max(oldest, reconciler.now() - yesterday.at.getTime());
  }
  return oldest;
}

/** Compares regularly until stopped. A comparison that failed is repeated an hour later. */
export async function keepReconciling(
  reconciler: Reconciler,
  { config, events, signal }: { config: AuditorConfig; events: AuditorEvents; signal: AbortSignal },
): Promise<void> {
  const delay = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
  await delay(config.AUDIT_FIRST_MS);
  if (reconciler.reports.size === 0) return;
  const again = (error: unknown): number => {
    if (!signal.aborted) events.reconcileFailed(error);
    return Math.max(0, config.RECONCILE_EVERY_MS - hourMs);
  };
  let ageMs = signal.aborted ? 0 : await announceStored(reconciler, config, events).catch(again);
  while (!signal.aborted) {
    await delay(Math.max(0, config.RECONCILE_EVERY_MS - ageMs));
    if (signal.aborted) return;
    ageMs = await reconcileRecent(reconciler, config, events).then(() => 0, again);
  }
}
