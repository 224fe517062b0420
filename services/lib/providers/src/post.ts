import type { Upstream } from "@uag/catalog/types";
import { type DisconnectRule, DisconnectWatch } from "./disconnect/watch.ts";
import { UpstreamFailure } from "./failure.ts";
import type { BadResponse, UpstreamCall } from "./generation.ts";
import type { HttpResponse } from "./http/call.ts";
import type { HttpPools } from "./http/pools.ts";
import { sendAuthorized } from "./identity/authorize.ts";

const maxErrorBytes = 256 * 1024;

/** A call whose body may be a form. */
export interface PostedCall extends Pick<UpstreamCall, "path" | "headers"> {
  /** In pieces where it contains files, which are not copied. */
  readonly body: Buffer | readonly Buffer[];
}

export interface PostOptions {
  readonly pools: HttpPools;
  readonly upstream: Upstream;
  readonly call: PostedCall;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * For a call that the upstream charges for; without it, the call is aborted when its client
   * disconnects.
   */
  readonly disconnect?: DisconnectRule;
  /** Classifies a status of 300 or more and its body. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

/**
 * Sends a call to an upstream's provider. Resolves with the head of a successful response, which is
 * any 2xx that has content: a provider that responds 201 or 206 charges as for 200.
 * @throws {UpstreamFailure} otherwise
 */
export async function post(options: PostOptions): Promise<HttpResponse> {
  const { pools, upstream, call, disconnect } = options;
  const { provider } = upstream;
  const watch = disconnect && new DisconnectWatch(options.signal, disconnect);
  const request = {
    origin: provider.origin,
    path: provider.basePath + call.path,
    method: "POST",
    headers: call.headers,
    body: call.body,
    timeouts: provider.timeouts,
    transport: provider.transport,
    signal: watch?.signal ?? options.signal,
    onSent: () => watch?.sent(),
  } as const;
  const response = await sendAuthorized(pools, provider, request, () => watch?.rejected()).catch((error: unknown) => {
    const explained = watch?.explained(error) ?? error;
    watch?.done();
    throw explained;
  });
  pools.observe?.(upstream, response);
  if (isSuccess(response.status)) return watch?.responded(response) ?? response;
  // A rejected request is not charged and ends quickly, so it need not outlive its client.
  watch?.done();
  const reported = await response.read(maxErrorBytes).catch((error: unknown) => {
    if (error instanceof UpstreamFailure && error.kind !== "cancelled") return Buffer.alloc(0);
    throw error;
  });
  if (response.status < 300) {
    throw new UpstreamFailure("transient", `${provider.name} sent no content`, { status: response.status });
  }
  const failure = options.failureOf(
    { status: response.status, header: (name) => response.header(name), body: reported },
    upstream,
  );
  throw failure.of(response);
}

/** RFC 9110, 15.3: 204 and 205 have no content. */
function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && status !== 204 && status !== 205;
}
