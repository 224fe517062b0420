import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { toStoreError } from "@uag/mongo/store-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { AttemptsFailed } from "@uag/providers/attempt";
import { failureToGatewayError, type UpstreamFailure } from "@uag/providers/failure";
import { crashPoint } from "@uag/runtime/crash-point";
import type { TaskGrant } from "@uag/usage/types";
import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";
import { cancelUpstream } from "./cancel.ts";
import { AmbiguousCreate, createUpstream, type Made, Refused } from "./create.ts";
import { admissionOf } from "./grant.ts";
import { newTask, type Submission } from "./new-task.ts";
import { createLeaseMs, leaseMs, pollDelayMs } from "./poll-schedule.ts";
import { terminalStateOf } from "./terminal-state.ts";

/** How long an idempotency key refers to its task. */
const keyLifeMs = 24 * 3_600_000;

/** A submitted task. */
export interface Submitted {
  /** As stored, even when it is still unknown whether the provider accepted it. */
  readonly task: TaskDocument;
  /** What its key's envelopes leave; undefined for a key without, and for a task that existed already. */
  readonly envelopeRemaining?: bigint | undefined;
}

/**
 * Submits a task in this order: stores its row, reserves its money, has a provider create it, and
 * stores the provider's id. If the process dies in between, others find the task and finish it (see
 * `recover.ts`).
 * @throws {GatewayError} or {AttemptsFailed} when there is no task, and nothing is owed
 */
export async function submit(context: VideoContext, submission: Submission): Promise<Submitted> {
  const began = performance.now();
  context.clock.requireInStep();
  const task = newTask(context, submission);
  const known = await insert(context, task);
  if (known !== undefined) return { task: known };
  crashPoint("task-stored");
  const { id: grantId, envelopeRemaining } = await hold(context, task, submission.caller);
  crashPoint("task-held");
  const held: TaskDocument = { ...task, grantId };
  let made: Made;
  try {
    made = await createUpstream(context, { task, grantId, request: submission.request, attempt: submission.attempt });
  } catch (error) {
    return { task: await notMade(context, held, error), envelopeRemaining };
  }
  crashPoint("task-made");
  const stored = await store(context, held, made);
  crashPoint("task-noted");
  context.video.submitted(stored, performance.now() - began);
  return { task: stored, envelopeRemaining };
}

async function insert(context: VideoContext, task: TaskDocument): Promise<TaskDocument | undefined> {
  for (;;) {
    const insertion = await context.tasks.insert(task).catch((error: unknown) => {
      throw toStoreError(error);
    });
    if (insertion.kind === "inserted") return undefined;
    const { task: known } = insertion;
    if (known.createdAt.getTime() > Date.now() - keyLifeMs)
      return known.upstreamId === undefined ? await context.tasks.recordResponse(known) : known;
    await context.tasks.forgetKey(known._id);
  }
}

async function hold(context: VideoContext, task: TaskDocument, caller: Caller): Promise<TaskGrant> {
  try {
    return await context.admission.admitTask(admissionOf(task, caller));
  } catch (error) {
    // The call whose response was lost may have reserved the money: the task then stays, and its recovery returns the
    // money.
    const isCertain = error instanceof GatewayError && error.code !== "service_unavailable";
    const settled = isCertain ? context.tasks.discard(task._id) : context.tasks.abandon(task._id);
    await settled.catch((cause: unknown) => context.video.stumbled("discard", cause));
    throw error;
  }
}

async function notMade(context: VideoContext, task: TaskDocument, error: unknown): Promise<TaskDocument> {
  const { tasks, settings, video } = context;
  if (error instanceof AmbiguousCreate) {
    video.ambiguous(task, error.cause);
    const { provider, model } = error.upstream;
    const { name, credential } = provider;
    const sent = { grantId: task.grantId ?? "", provider: name, upstreamModel: model, credentialId: credential.id };
    const dueAt = new Date(Date.now() + pollDelayMs(settings, { pollMs: 5_000, ageMs: 0 }));
    // If this fails, the task falls due on its own, a little later.
    await tasks.sending(task._id, { ...sent, dueAt }).catch((cause: unknown) => video.stumbled("submit", cause));
    context.wakeups.of(provider.name).wakeAt(dueAt.getTime());
    return task;
  }
  const failure = failureIn(error);
  const refusedWith = failure === undefined ? 500 : failureToGatewayError(failure).httpStatus;
  const terminal = terminalStateOf(
    task,
    { status: "failed", word: "", failure: failure?.message, refusedWith },
    new Date(),
  );
  const ended = await tasks.end(task._id, terminal, { unmade: true, outboxMs: leaseMs(settings) });
  if (ended !== undefined) {
    await tasks.forgetKey(task._id);
    context.outbox.process(ended);
  }
  throw error instanceof Refused ? error.failure : error;
}

function failureIn(error: unknown): UpstreamFailure | undefined {
  return error instanceof AttemptsFailed || error instanceof Refused ? error.failure : undefined;
}

/** Stores the provider's id; retries for as long as this process owns the submission. */
async function store(context: VideoContext, task: TaskDocument, made: Made): Promise<TaskDocument> {
  const { settings, tasks, video } = context;
  const { upstream, adapter, upstreamId } = made;
  const created = {
    upstreamId,
    ids: task.family === "seedance" ? [upstreamId] : [],
    grantId: task.grantId ?? "",
    provider: upstream.provider.name,
    upstreamModel: upstream.model,
    credentialId: upstream.provider.credential.id,
    status: task.status,
    dueAt: new Date(Date.now() + pollDelayMs(settings, { pollMs: adapter.pollMs, ageMs: 0 })),
  };
  const deadline = task.createdAt.getTime() + createLeaseMs(settings);
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      const stored = await tasks.created(task._id, created);
      if (stored === undefined) break;
      context.wakeups.of(created.provider).wakeAt(created.dueAt.getTime());
      return stored;
    } catch (error) {
      video.stumbled("submit", error);
      if (Date.now() + pauseMs > deadline) throw toStoreError(error);
      await sleep(pauseMs);
    }
  }
  // Another process gave it up or found it meanwhile: the stored state counts.
  const current = await tasks.find(task.accountId, task._id);
  if (current?.upstreamId !== upstreamId) await cancelUpstream(context, { ...task, ...created }).catch(() => undefined);
  return current ?? task;
}
