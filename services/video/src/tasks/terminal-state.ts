import { type Charged, provisionalRules } from "@uag/catalog/provisional";
import { Outcome, Pricing, SettlementRule, type Unit, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { VideoState } from "@uag/providers/video/types";
import { billOf } from "../price.ts";
import { operation } from "../request/read.ts";
import type { TerminalState } from "../store/changes.ts";
import type { EndStatus, PendingWebhook, TaskDocument } from "../store/task.ts";
import { viewOf } from "./view.ts";

export interface TaskOutcome {
  readonly status: EndStatus;
  readonly word: string;
  readonly failure?: string | undefined;
  /** The provider's last state, for a task that succeeded. */
  readonly state?: VideoState | undefined;
  /**
   * The request failed at once and got this HTTP status; the task's id was never reported.
   */
  readonly refusedWith?: number;
}

/** Everything that the end of a task writes in one go: its result, bill and webhook. */
export function terminalStateOf(task: TaskDocument, end: TaskOutcome, now: Date): TerminalState {
  const { status, word, failure, state } = end;
  const charged = status === "succeeded" ? billOf(task, state?.usage) : undefined;
  const terminal = {
    endedAt: now,
    status,
    upstreamStatus: word,
    ...(failure !== undefined && { failure }),
    ...(status === "succeeded" && { content: contentOf(state), usage: videoTaskUsage(task, state) }),
    ...(state?.seed !== undefined && { seed: state.seed }),
    ...(end.refusedWith !== undefined && { hidden: true }),
  };
  const raw = charged === undefined ? undefined : state?.usage?.raw;
  const event = UsageEvent.encode({
    ...startOf(task),
    endedAtMs: BigInt(now.getTime()),
    outcome: charged === undefined ? Outcome.FAILED : Outcome.COMPLETED,
    settlementRule: ruleOf(charged),
    pricing: charged?.pricing ?? Pricing.EXACT,
    units: charged?.units ?? ([] as Unit[]),
    costNanoUsd: charged?.costNanoUsd ?? 0n,
    rawUsage: raw === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(raw)),
    status: end.refusedWith ?? 202,
  }).finish();
  const ended: TaskDocument = { ...task, ...terminal, live: false, updatedAt: now };
  const webhook = ended.hidden ? undefined : webhookOf(ended, now);
  return { ...terminal, outbox: { settle: Buffer.from(event), ...(webhook !== undefined && { webhook }) } };
}

function ruleOf(charged: Charged | undefined): SettlementRule {
  if (charged === undefined) return SettlementRule.NOTHING_OWED;
  return charged.provisional === undefined ? SettlementRule.COMPLETED : provisionalRules[charged.provisional];
}

function startOf(task: TaskDocument) {
  return {
    requestId: task.requestId,
    accountId: task.accountId,
    keyId: task.keyId,
    holderId: "",
    grantId: task.grantId ?? "",
    operation,
    model: task.model,
    upstream: task.provider,
    upstreamModel: task.upstreamModel,
    startedAtMs: BigInt(task.createdAt.getTime()),
    holdNanoUsd: task.holdNanoUsd,
    priceVersion: task.priceVersion,
    attempts: 1,
    stream: false,
    failedAttempts: [],
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
function videoTaskUsage(task: TaskDocument, state: VideoState | undefined): Readonly<Record<string, unknown>> {
  const { seconds, resolution, raw } = state?.usage ?? {};
  return { ...raw, duration: seconds ?? task.terms.seconds, resolution: resolution ?? task.terms.resolution };
}

function webhookOf(task: TaskDocument, now: Date): PendingWebhook | undefined {
  if (task.webhookUrl === undefined) return undefined;
  const type = `video.generation.${task.status}`;
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data: viewOf(task) });
  return { id: `msg_${task._id.replaceAll("-", "")}`, url: task.webhookUrl, type, body };
}
