import { GatewayError } from "@uag/contract/errors/gateway-error";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineUnbilled, type UnbilledRequest } from "@uag/pipeline/operation/define-query";
import { estimateHandler } from "@uag/pipeline/operation/estimate";
import type { JsonReply } from "@uag/pipeline/operation/json-reply";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { CheckedRequest, RequestSpec } from "@uag/pipeline/operation/request-spec";
import { traceOf } from "@uag/pipeline/operation/trace";
import type { JsonBody } from "@uag/pipeline/request/body";
import { videoFieldCosts } from "@uag/providers/passed-fields/media";
import { envelopeHeaders } from "@uag/usage/refusals";
import type { VideoContext } from "../context.ts";
import { invalid } from "../families/family.ts";
import { findVideoModel, operation, readVideoRequest, type VideoRequest, videoModelOf } from "../request/read.ts";
import { waitMs } from "../request/wait.ts";
import { maxCostOf } from "../tasks/new-task.ts";
import { submit } from "../tasks/submit.ts";
import { viewOf } from "../tasks/view.ts";
import { findTask } from "./find.ts";

/** The fields of every family: which one a request belongs to depends on its model. */
const knownFields = { ...videoFieldCosts.wan, ...videoFieldCosts.seedance, ...videoFieldCosts.grok };

interface VideoCreation {
  readonly video: VideoRequest;
  /** How long the response may wait for the task's end, milliseconds. */
  readonly waitMs: number;
}

/**
 * `POST /v1/videos/generations`: 202 with the task, or 200 when the request waits and the task ends
 * in time. The task has its own grant and bill, which outlive the request.
 */
export function createVideo(context: VideoContext): Operation {
  const spec: RequestSpec<JsonBody, VideoCreation> = {
    name: operation,
    body: jsonBody(),
    modelOf: ({ fields }) => videoModelOf(fields),
    fieldsOf: ({ fields }) => ({ sent: fields, known: knownFields }),
    findModel: findVideoModel,
    read({ fields }, model, { exchange }): VideoCreation {
      const video = readVideoRequest(fields, model, context.guarded);
      const prefer = exchange.header("prefer");
      return { video, waitMs: waitMs({ prefer, target: exchange.target, body: fields["wait"] }) };
    },
  };
  const size = ({ request: { video } }: CheckedRequest<VideoCreation>) => ({
    holdNanoUsd: maxCostOf(video),
    tokens: 0,
  });
  return {
    ...defineUnbilled(context, { ...spec, respond: (request) => respond(context, request) }),
    estimate: estimateHandler(context, { ...spec, size }),
  };
}

async function respond(
  context: VideoContext,
  { exchange, caller, attempt, catalogVersion, request: { video, waitMs: timeoutMs } }: UnbilledRequest<VideoCreation>,
): Promise<JsonReply> {
  await checkDrafts(context, caller.accountId, video.drafts);
  const { requestId, signal } = exchange;
  const given = exchange.header("idempotency-key");
  // Idempotency keys are scoped to the API key, not to the account.
  const idempotencyKey = given && `${caller.keyId}/${given}`;
  const { task, envelopeRemaining } = await submit(context, {
    request: video,
    caller,
    requestId,
    catalogVersion,
    attempt,
    idempotencyKey,
    ...traceOf(context, exchange.headers),
  });
  const waits = task.live && timeoutMs > 0;
  const ended = waits ? await context.completions.wait(task._id, { timeoutMs, signal }) : undefined;
  const last = ended ?? task;
  const view = viewOf(last);
  const terminal = !last.live && timeoutMs > 0;
  const headers = ["location", `/v1/videos/generations/${view.id}`, ...envelopeHeaders(envelopeRemaining)];
  return { status: terminal ? 200 : 202, body: view, headers };
}

/** A draft may only continue a task of the same account: the provider would accept any of ours. */
async function checkDrafts(context: VideoContext, accountId: string, drafts: readonly string[]): Promise<void> {
  for (const id of drafts) {
    await findTask(context, accountId, id).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === "not_found")
        throw invalid("content", "content: draft_task must be a task of this account.");
      throw error;
    });
  }
}
