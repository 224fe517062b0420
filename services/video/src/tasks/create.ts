import type { Upstream } from "@uag/catalog/types";
import type { Attempt } from "@uag/pipeline/operation/attempts";
import { UpstreamFailure } from "@uag/providers/failure";
import { adapterFor } from "@uag/providers/registry";
import { callVideo, createFault } from "@uag/providers/video/call";
import type { VideoAdapter } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { VideoRequest } from "../request/read.ts";
import type { TaskDocument } from "../store/task.ts";

export interface Made {
  readonly upstream: Upstream;
  readonly adapter: VideoAdapter;
  readonly upstreamId: string;
}

/** It is unknown whether the provider has the task, so it must not be created again. */
export class AmbiguousCreate extends Error {
  override readonly name = "AmbiguousCreate";
  readonly upstream: Upstream;

  constructor(upstream: Upstream, cause: unknown) {
    super("it is unknown whether the provider accepted the task", { cause });
    this.upstream = upstream;
  }
}

export function adapterOf(upstream: Upstream): VideoAdapter {
  const adapter = adapterFor("video", upstream.provider.protocol);
  if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
  return adapter;
}

/**
 * Creates the task at a provider. The next provider is tried only when the previous one has
 * certainly refused.
 * @throws {AttemptsFailed} or {UpstreamFailure} when it was not created; {AmbiguousCreate} when
 * that is unknown
 */
export async function createUpstream(
  context: VideoContext,
  options: { task: TaskDocument; grantId: string; request: VideoRequest; attempt: Attempt },
): Promise<Made> {
  const { task, grantId, request, attempt } = options;
  // A client that disconnects does not cancel its task.
  const never = new AbortController().signal;
  const made = await attempt(async (upstream) => {
    const { name: provider, credential } = upstream.provider;
    const { id: credentialId } = credential;
    const isFirst =
      provider === task.provider && upstream.model === task.upstreamModel && credentialId === task.credentialId;
    const sent = { grantId, provider, upstreamModel: upstream.model, credentialId };
    if (!isFirst && !(await context.tasks.sending(task._id, sent))) throw new AmbiguousCreate(upstream, "taken over");
    return await callOne(context, { task, request, upstream, signal: never });
  }, never);
  return made.value;
}

async function callOne(
  context: VideoContext,
  one: { task: TaskDocument; request: VideoRequest; upstream: Upstream; signal: AbortSignal },
): Promise<Made> {
  const { task, request, upstream, signal } = one;
  const { pools, settings } = context;
  const adapter = adapterOf(upstream);
  const { requestId } = task;
  // After its lease another process may have ended the task already.
  const timeoutMs = Math.min(settings.CREATE_TIMEOUT_MS, task.dueAt.getTime() - Date.now());
  if (timeoutMs <= 0) throw new AmbiguousCreate(upstream, "the submission took too long");
  try {
    const call = adapter.create({ requestId, taskId: task._id, body: request.body }, upstream);
    const response = await callVideo({ pools, adapter, upstream, call, requestId, timeoutMs, signal });
    const upstreamId = adapter.createdId(response.body);
    if (upstreamId === undefined) throw new AmbiguousCreate(upstream, "the response has no task id");
    return { upstream, adapter, upstreamId };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const fault = createFault(error);
    if (fault === "ambiguous") throw new AmbiguousCreate(upstream, error);
    if (fault === "failed" && error.kind !== "client") throw new Refused(error);
    throw error;
  }
}

/** A failure with the provider's own message, which a retry must not hide. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}
