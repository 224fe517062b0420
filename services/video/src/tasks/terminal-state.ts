import { settlementRule } from "@uag/pipeline/settlement-rule";
import { Outcome, Pricing, type Unit, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { VideoState, VideoUsage } from "@uag/providers/video/types";
import { type Bill, billOf, failedBillOf } from "../price.ts";
import { operation } from "../request/read.ts";
import type { TerminalState } from "../store/changes.ts";
import type { EndStatus, PendingWebhook, TaskDocument } from "../store/task.ts";
import { isConfirmed } from "./machine.ts";
import { viewOf } from "./view.ts";

export interface TaskOutcome {
  readonly status: EndStatus;
  readonly word: string;
  readonly failure?: string | undefined;
  /** The provider's last state. */
  readonly state?: VideoState | undefined;
  /**
   * The request failed at once and got this HTTP status; the task's id was never reported.
   */
  readonly refusedWith?: number;
}

/** Everything that the end of a task writes in one go: its result, bill and webhook. */
export function terminalStateOf(task: TaskDocument, end: TaskOutcome, now: Date): TerminalState {
  const { status, word, failure, state } = end;
  const bill = billFor(task, end);
  const usage = videoUsageOf(task, end);
  const terminal = {
    endedAt: now,
    status,
    upstreamStatus: word,
    ...(failure !== undefined && { failure }),
    ...(task.fault !== undefined && { fault: task.fault }),
    ...(status === "succeeded" && { content: contentOf(state) }),
    ...(bill !== undefined && { usage: videoTaskUsage(task, usage) }),
    ...(state?.seed !== undefined && { seed: state.seed }),
    ...(end.refusedWith !== undefined && { hidden: true }),
  };
  const event = UsageEvent.encode({
    ...startOf(task),
    ...chargeIn(status, bill),
    endedAtMs: BigInt(now.getTime()),
    rawUsage: rawUsageIn(bill && usage),
    status: end.refusedWith ?? 202,
  }).finish();
  const ended: TaskDocument = { ...task, ...terminal, live: false, updatedAt: now };
  const webhook = ended.hidden ? undefined : webhookOf(ended, now);
  return { ...terminal, outbox: { settle: Buffer.from(event), ...(webhook !== undefined && { webhook }) } };
}

function chargeIn(status: EndStatus, bill: Bill | undefined) {
  const outcome = status === "succeeded" ? Outcome.COMPLETED : Outcome.FAILED;
  const estimated = bill?.pricing === Pricing.ESTIMATED;
  return {
    outcome,
    settlementRule: settlementRule(outcome, { free: bill === undefined, estimated, provisional: bill?.provisional }),
    pricing: bill?.pricing ?? Pricing.EXACT,
    units: bill?.units ?? ([] as Unit[]),
    costNanoUsd: bill?.costNanoUsd ?? 0n,
  };
}

const rawUsageIn = (usage: VideoUsage | undefined): Buffer =>
  usage?.raw === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(usage.raw));

/** The usage that the provider reported last, with its state or in a response that has none. */
const videoUsageOf = (task: TaskDocument, { state }: TaskOutcome): VideoUsage | undefined =>
  state === undefined ? task.fault?.usage : state.usage;

/**
 * What its owner pays. A task that did not succeed costs what its provider charges for it, which has
 * to be certain: by its usage, by its own statement, or because it made a video that could not be
 * delivered.
 */
function billFor(task: TaskDocument, end: TaskOutcome): Bill | undefined {
  const { status, state } = end;
  const usage = videoUsageOf(task, end);
  if (status === "succeeded") return billOf(task, usage);
  if (task.upstreamId === undefined || !isConfirmed(task, state)) return undefined;
  const isCharged = state === undefined ? task.fault?.unusable : state.phase === "succeeded" || state.charged;
  return failedBillOf(task, { usage, charged: isCharged });
}

function startOf(task: TaskDocument) {
  return {
    requestId: task.requestId,
    accountId: task.accountId,
    keyId: task.keyId,
    budgetIds: task.budgetIds ?? [],
    rootKeyId: task.rootKeyId,
    holderId: "",
    grantId: task.grantId ?? "",
    operation,
    model: task.model,
    upstream: task.provider,
    upstreamModel: task.upstreamModel,
    upstreamCredentialId: task.credentialId || undefined,
    startedAtMs: BigInt(task.createdAt.getTime()),
    holdNanoUsd: task.holdNanoUsd,
    priceVersion: task.priceVersion,
    catalogVersion: task.catalogVersion,
    attempts: 1,
    stream: false,
    failedAttempts: [],
    clientRequestId: task.clientRequestId,
    traceId: task.traceId,
    spanId: task.spanId,
  };
}

function contentOf(state: VideoState | undefined): NonNullable<TaskDocument["content"]> {
  return {
    ...(state?.videoUrl !== undefined && { video_url: state.videoUrl }),
    ...(state?.lastFrameUrl !== undefined && { last_frame_url: state.lastFrameUrl }),
  };
}

/** The provider's own usage, plus the two fields that every family has. */
function videoTaskUsage(task: TaskDocument, usage: VideoUsage | undefined): Readonly<Record<string, unknown>> {
  const { seconds, resolution, raw } = usage ?? {};
  return { ...raw, duration: seconds ?? task.terms.seconds, resolution: resolution ?? task.terms.resolution };
}

function webhookOf(task: TaskDocument, now: Date): PendingWebhook | undefined {
  if (task.webhookUrl === undefined) return undefined;
  const type = `video.generation.${task.status}`;
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data: viewOf(task) });
  return { id: `msg_${task._id.replaceAll("-", "")}`, url: task.webhookUrl, type, body };
}
