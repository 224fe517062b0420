import type { AuditReport } from "@uag/harness/audit/audit";
import type { Billed } from "@uag/harness/audit/billed";
import type { Receiver } from "@uag/harness/fleet/receiver";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { MongoClient } from "mongodb";
import { z } from "zod";
import type { Task } from "./video-load.ts";

const rowSchema = z.object({
  _id: z.string(),
  ids: z.array(z.string()),
  requestId: z.string(),
  upstreamId: z.string().optional(),
  endedAt: z.date().optional(),
  status: z.string(),
  live: z.boolean(),
  hidden: z.boolean(),
  outbox: z.unknown().optional(),
});
type Row = z.infer<typeof rowSchema>;

const madeTask = z.object({
  id: z.string(),
  request_id: z.string().nullable(),
  ended_at: z.iso.datetime().nullable(),
  polls: z.number(),
  charged: z.boolean(),
});
const madeList = z.object({ tasks: z.array(madeTask) });
export type MadeTask = z.infer<typeof madeTask>;

/** Every task's row, including those whose client got no response. */
async function readRows(mongodbUrl: string): Promise<Row[]> {
  const client = await MongoClient.connect(mongodbUrl);
  try {
    return z.array(rowSchema).parse(await client.db("video").collection("tasks").find().toArray());
  } finally {
    await client.close();
  }
}

const settleMs = 60_000;

/** The rows once all bills are handed over; bills that are not by then are reported as violations. */
async function settledRows(mongodbUrl: string): Promise<Row[]> {
  let rows: Row[] = [];
  const done = async (): Promise<boolean> => {
    rows = await readRows(mongodbUrl);
    return rows.every(({ outbox }) => outbox === undefined);
  };
  await waitFor(done, { timeoutMs: settleMs, everyMs: 500 }).catch(() => undefined);
  return rows;
}

const heldIn = ({ books }: AuditReport): bigint =>
  books.accounts.reduce((sum, { heldNanoUsd }) => sum + heldNanoUsd, 0n);

/**
 * The audit once the books have all bills that were handed over. A zero bill has no hold in flight,
 * and the providers know nothing about it, so it is awaited by its task.
 */
async function settledBooks(fleet: TestFleet, rows: readonly Row[]): Promise<AuditReport> {
  const received = rows.filter(({ hidden }) => !hidden).map(({ requestId }) => requestId);
  const complete = (report: AuditReport): boolean => {
    const billed = new Set(report.books.billed.map(({ requestId }) => requestId));
    return heldIn(report) === 0n && received.every((requestId) => billed.has(requestId));
  };
  let report = await fleet.audit(settleMs);
  const done = async (): Promise<boolean> => {
    if (!complete(report)) report = await fleet.audit(0);
    return complete(report);
  };
  await waitFor(done, { timeoutMs: settleMs, everyMs: 500 }).catch(() => undefined);
  return report;
}

/** The tasks that the simulator created as the providers. */
export async function readMade(simulatorUrl: string): Promise<MadeTask[]> {
  return madeList.parse(await (await fetch(`${simulatorUrl}/sim/tasks`)).json()).tasks;
}

export interface Findings {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Number of tasks with a cost. */
  readonly charged: number;
  /** Those of them that did not succeed. */
  readonly chargedWithoutVideo: number;
  /** Submissions that failed with an error and left a row, free of charge. */
  readonly refused: number;
  /**
   * Tasks that a provider created and charges for, whose id was lost with the process that
   * requested it: their owner pays nothing.
   */
  readonly lostAtProvider: number;
  readonly webhooks: { readonly tasks: number; readonly arrivals: number; readonly unverified: number };
  readonly violations: readonly string[];
}

/** Whether the task's provider had charged for it when it ended here. */
function wasCharged({ requestId, upstreamId, endedAt }: Row, tasks: readonly MadeTask[]): boolean {
  // A task may have been taken for another's by mistake, until its prompt showed it.
  const own = tasks.find((task) => task.id === upstreamId && task.request_id === requestId);
  const { charged = false, ended_at: at = null } = own ?? {};
  return charged && at !== null && endedAt !== undefined && Date.parse(at) <= endedAt.getTime();
}

function rowViolations(row: Row, bills: readonly Billed[], charged: boolean): string[] {
  const { _id: id, status, live, hidden, outbox } = row;
  const cost = bills.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  const wrong: string[] = [];
  if (live) wrong.push(`Task ${id} has not ended.`);
  if (outbox !== undefined) wrong.push(`The outbox of task ${id} is not empty.`);
  if (bills.length > 1) wrong.push(`Task ${id} is billed ${bills.length} times.`);
  if (!hidden && bills.length === 0) wrong.push(`Task ${id} has no bill.`);
  if (cost > 0n !== charged)
    wrong.push(
      `Task ${id} is ${status}, its provider ${charged ? "charges" : "does not charge"} for it, and it costs ${cost} nano-USD.`,
    );
  return wrong;
}

function madeViolations(rows: readonly Row[], tasks: readonly MadeTask[]): { wrong: string[]; lost: number } {
  const wrong: string[] = [];
  const byRequest = new Map(rows.map((row) => [row.requestId, row]));
  let lost = 0;
  for (const [requestId, same] of Map.groupBy(tasks, (task) => task.request_id)) {
    if (same.length > 1) wrong.push(`Request ${requestId} created ${same.length} tasks at its provider.`);
    const row = byRequest.get(requestId ?? "");
    if (row === undefined) wrong.push(`Request ${requestId} created a task at its provider but has none here.`);
    else lost += same.filter(({ id, charged }) => charged && id !== row.upstreamId).length;
  }
  return { wrong, lost };
}

function webhookViolations(tasks: readonly Task[], receiver: Receiver): string[] {
  const wrong: string[] = [];
  const byTask = Map.groupBy(receiver.received, ({ task }) => task.id);
  for (const { id, status } of tasks) {
    const arrived = byTask.get(id) ?? [];
    if (arrived.length === 0) wrong.push(`Task ${id} got no webhook.`);
    if (new Set(arrived.map((one) => one.id)).size > 1) wrong.push(`Task ${id} got webhooks with different ids.`);
    if (arrived.some(({ type }) => type !== `video.generation.${status}`))
      wrong.push(`Task ${id} is ${status} but got a webhook of another status.`);
  }
  for (const { id, verified } of receiver.received)
    if (!verified) wrong.push(`Webhook ${id} has an invalid signature.`);
  return wrong;
}

function listViolations(tasks: readonly Task[], reported: readonly string[]): string[] {
  const known = new Set(tasks.map(({ id }) => id));
  const wrong = reported
    .filter((id) => !known.has(id))
    .map((id) => `Task ${id} was returned to its client but is lost.`);
  if (new Set(reported).size !== reported.length) wrong.push("Two submissions got the same task.");
  if (tasks.length !== reported.length) wrong.push(`${reported.length} submissions created ${tasks.length} tasks.`);
  return wrong;
}

/** Compares rows, bills, the providers' tasks and the received webhooks, task by task. */
export async function checkVideo(
  fleet: TestFleet,
  { tasks, reported, receiver }: { tasks: readonly Task[]; reported: readonly string[]; receiver: Receiver },
): Promise<Findings> {
  const rows = await settledRows(fleet.run.mongodb_url);
  const report = await settledBooks(fleet, rows);
  const bills = Map.groupBy(report.books.billed, ({ requestId }) => requestId);
  const made = await readMade(fleet.run.simulator_url);
  const { wrong, lost } = madeViolations(rows, made);
  const held = heldIn(report);
  const charged = new Set(
    report.books.billed.flatMap(({ requestId, costNanoUsd }) => (costNanoUsd > 0n ? requestId : [])),
  );
  const byStatus: Record<string, number> = {};
  for (const { status } of tasks) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const { received } = receiver;
  return {
    byStatus,
    charged: charged.size,
    chargedWithoutVideo: rows.filter(({ status, requestId }) => status !== "succeeded" && charged.has(requestId))
      .length,
    refused: rows.filter(({ hidden }) => hidden).length,
    lostAtProvider: lost,
    webhooks: {
      tasks: new Set(received.map(({ task }) => task.id)).size,
      arrivals: received.length,
      unverified: received.filter(({ verified }) => !verified).length,
    },
    violations: [
      ...listViolations(tasks, reported),
      ...rows.flatMap((row) => rowViolations(row, bills.get(row.requestId) ?? [], wasCharged(row, made))),
      ...wrong,
      ...webhookViolations(tasks, receiver),
      ...(held === 0n ? [] : [`${held} nano-USD are still held.`]),
      ...report.violations,
    ],
  };
}
