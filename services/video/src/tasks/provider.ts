import type { Provider, Upstream } from "@uag/catalog/types";
import { adapterFor } from "@uag/providers/registry";
import { callVideo } from "@uag/providers/video/call";
import type { VideoAdapter, VideoCall, VideoResponse } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";

/** The provider that has a task, as the current catalogue describes it. */
export interface TaskProvider {
  readonly upstream: Upstream;
  readonly adapter: VideoAdapter;
}

/**
 * The provider as the task's creation reached it: with the same credential, at the same address; with
 * the one in use if that was deleted. Undefined when the catalogue no longer has the provider.
 */
export function providerOf(context: Pick<VideoContext, "catalog">, task: TaskDocument): TaskProvider | undefined {
  const current: Provider | undefined = context.catalog.current.providers.get(task.provider);
  const adapter = current && adapterFor("video", current.protocol);
  if (current === undefined || adapter === undefined) return undefined;
  const provider = { ...current, ...current.accesses.get(task.credentialId ?? "") };
  return { adapter, upstream: { provider, model: task.upstreamModel, weight: 1, priority: 0 } };
}

/** Makes one call about an existing task. @throws {UpstreamFailure} */
export function callAbout(
  context: Pick<VideoContext, "pools" | "settings">,
  at: TaskProvider & { task: TaskDocument; call: VideoCall },
): Promise<VideoResponse> {
  return callVideo({
    pools: context.pools,
    adapter: at.adapter,
    upstream: at.upstream,
    call: at.call,
    requestId: at.task.requestId,
    timeoutMs: context.settings.POLL_TIMEOUT_MS,
    signal: new AbortController().signal,
  });
}
