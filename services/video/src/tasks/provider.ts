import type { Provider, Upstream } from "@uag/catalog/types";
import { adapterFor } from "@uag/providers/registry";
import { callVideo, type VideoResponse } from "@uag/providers/video/call";
import type { VideoAdapter, VideoCall } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";

/** The provider that has a task, as the current catalogue describes it. */
export interface TaskProvider {
  readonly upstream: Upstream;
  readonly adapter: VideoAdapter;
}

/** Undefined when the catalogue no longer has the provider. */
export function providerOf(context: Pick<VideoContext, "catalog">, task: TaskDocument): TaskProvider | undefined {
  const provider: Provider | undefined = context.catalog.current.providers.get(task.provider);
  const adapter = provider && adapterFor("video", provider.protocol);
  if (provider === undefined || adapter === undefined) return undefined;
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
