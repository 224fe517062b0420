import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Callers } from "@uag/pipeline/callers";
import { type FindBill, isBillable } from "@uag/pipeline/idempotency/bills";
import type { Operation } from "@uag/pipeline/operation/operation";
import { outcomeOf } from "@uag/pipeline/outcome";
import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { listOfElements } from "@uag/providers/json-edit";
import { newId } from "@uag/runtime/ids";
import { usdText } from "@uag/runtime/usd";
import { inputItems, memberOf } from "../state/items.ts";
import type { KeptJob } from "../state/keep.ts";
import type { ResponseStore } from "../state/store.ts";
import { EventWriter } from "./event-writer.ts";
import type { JobDocument } from "./job.ts";
import type { JobStore } from "./job-store.ts";
import { LocalExchange } from "./local-exchange.ts";
import { type JobState, withState } from "./view.ts";

/** What jobs are run with. */
export interface RunContext {
  readonly jobs: JobStore;
  readonly stored: ResponseStore;
  readonly callers: Pick<Callers, "state">;
  readonly findBill: FindBill;
  /** Maximum length of the events of a response that are stored. */
  readonly maxEventBytes: number;
  /** The operation that makes a job's response and stores it. */
  operationFor(job: KeptJob): Operation;
}

/** A job that this worker has claimed. */
export interface Claimed {
  readonly job: JobDocument;
  /** Aborts when the job was cancelled, or this worker must leave it. */
  readonly signal: AbortSignal;
}

/** How a job ended. */
export type JobEnd = "completed" | "failed" | "cancelled";

type Step =
  | { readonly kind: "stored" }
  | { readonly kind: "ended"; readonly state: JobState }
  /** Another worker, or this one, continues later; `anew`: it owes nothing for what it has begun. */
  | { readonly kind: "later"; readonly delayMs: number; readonly anew: boolean };

const operation = "responses";
/** A request whose process keeps dying is given up. */
const maxStarts = 4;
const billDelayMs = 1_000;
/** An interrupted request is billed within this time, unless its journal was lost with its disk. */
const maxDoubtMs = 15 * 60_000;

/**
 * Brings a job to its end, or as far as it gets now. A request is begun only once its journal record
 * and the job name each other; one that was begun is begun again only after its bill shows that it
 * owes nothing. So it is billed at most once, and a response is never stored without its bill.
 * @returns how it ended, if it did
 */
export async function runJob(context: RunContext, claimed: Claimed): Promise<JobEnd | undefined> {
  const { jobs } = context;
  const { job } = claimed;
  const step = await nextStep(context, claimed);
  if (step.kind === "later") {
    await jobs.release(job, step);
    return undefined;
  }
  if (step.kind === "ended" && !(await storeEnd(context, job, step.state))) return undefined;
  await jobs.remove(job);
  return step.kind === "stored" ? "completed" : step.state.status === "cancelled" ? "cancelled" : "failed";
}

async function nextStep(context: RunContext, claimed: Claimed): Promise<Step> {
  const { job } = claimed;
  // Also of a job without a request: one with the same id may have ended while this one was created.
  if ((await context.stored.find(job.accountId, job.id)) !== undefined) return { kind: "stored" };
  if (job.requestId !== undefined) return await lookBack(context, { ...job, requestId: job.requestId });
  if (job.cancelledAt !== undefined) return cancelled;
  if (job.giveUpAt.getTime() <= Date.now())
    return failed("timeout", "The response could not be begun within an hour. Nothing was billed.");
  if ((job.starts ?? 0) >= maxStarts)
    return failed("server_error", `The gateway was interrupted ${maxStarts} times. Nothing was billed.`);
  const key = await context.callers.state(job);
  if (key.kind === "unusable") return failed(key.code, key.message);
  return await run(context, claimed, key.context);
}

/** What became of a request that was begun by a process that died, or left the job. */
async function lookBack({ findBill }: RunContext, job: JobDocument & { requestId: string }): Promise<Step> {
  const { accountId, requestId, cancelledAt, startedAt = job.createdAt } = job;
  const bill = await findBill({ accountId, requestId });
  if (bill === undefined && startedAt.getTime() + maxDoubtMs > Date.now())
    return { kind: "later", delayMs: billDelayMs, anew: false };
  if (cancelledAt !== undefined) return cancelled;
  if (bill !== undefined && !isBillable(bill) && !hasEvents(job)) return { kind: "later", delayMs: 0, anew: true };
  return lost(requestId, bill?.costNanoUsd);
}

async function run(
  { jobs, stored, operationFor, maxEventBytes }: RunContext,
  { job, signal }: Claimed,
  context: Buffer,
): Promise<Step> {
  const requestId = newId("req");
  const body = await jobs.readBody(job);
  const queued = await jobs.readResponse(job);
  const events = job.events && new EventWriter({ jobs, job, queued, maxBytes: maxEventBytes });
  const exchange = new LocalExchange({
    operation,
    requestId,
    target: "/v1/responses",
    context,
    body,
    events,
    endUser: await jobs.readEndUser(job),
    signal,
    async onStarted() {
      if (await jobs.start(job, requestId)) return;
      throw new GatewayError("service_unavailable", "The response was cancelled, or another process makes it.");
    },
  });
  await operationFor({ id: job.id, mayStore: () => jobs.complete(job), events }).handler(exchange);
  const { response, bill } = exchange;
  if (response?.status === 200 && isStored(response.body)) return { kind: "stored" };
  if (events !== undefined && (await stored.find(job.accountId, job.id)) !== undefined) return { kind: "stored" };
  // A worker that has lost its claim changes nothing with what follows.
  const now = await jobs.find(job.accountId, job.id);
  if (now?.cancelledAt !== undefined) return cancelled;
  if (events?.failure !== undefined) return failed(events.failure.code, events.failure.message);
  if (bill !== undefined && isBillable(bill)) return lost(requestId, bill.costNanoUsd);
  if (hasEvents(now)) return lost(requestId, bill?.costNanoUsd);
  if (response === undefined) return { kind: "later", delayMs: 0, anew: true };
  const starts = now?.starts ?? 0;
  const outcome = outcomeOf(response, starts, Date.now());
  if (outcome.kind === "wait" && starts < maxStarts) return { kind: "later", delayMs: outcome.waitMs, anew: true };
  return { kind: "ended", state: { status: "failed", error: errorIn(response.body) } };
}

const cancelled: Step = { kind: "ended", state: { status: "cancelled" } };

const failed = (code: string, message: string): Step => ({
  kind: "ended",
  state: { status: "failed", error: { code, message } },
});

function lost(requestId: string, costNanoUsd: bigint | undefined): Step {
  const billed = costNanoUsd === undefined ? "has no bill so far" : `was billed ${usdText(costNanoUsd)} USD`;
  const text = `The gateway was interrupted before the response was stored. The request ran as ${requestId} and ${billed}. Send it again to run and pay for it again.`;
  return failed("server_error", text);
}

/** Those who follow a stream have its events: it cannot begin anew. */
const hasEvents = (job: JobDocument | undefined): boolean => (job?.events?.pieces ?? 0) > 0;

const isStored = (response: Buffer): boolean => memberOf(response, "store")?.toString() === "true";

function errorIn(body: Buffer): { code: string; message: string } {
  const { code, type, message } = fieldsOf(fieldsOf(parsedJson(body.toString("utf8")))["error"]);
  return { code: textOf(code) ?? textOf(type) ?? "server_error", message: textOf(message) ?? "The request failed." };
}

/** Stores the response of a job that has none. False when another worker has the job. */
async function storeEnd({ jobs, stored }: RunContext, job: JobDocument, state: JobState): Promise<boolean> {
  const body = await jobs.readBody(job);
  const response = withState(await jobs.readResponse(job), state);
  const last = await jobs.end(job);
  if (last === undefined) return false;
  const input = listOfElements(inputItems(memberOf(body, "input")));
  await stored.put(job.accountId, { id: job.id, previousIds: [], input, response, itemIds: [], events: last.events });
  return true;
}
