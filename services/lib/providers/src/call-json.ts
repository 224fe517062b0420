import type { Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "./disconnect/watch.ts";
import { UpstreamFailure } from "./failure.ts";
import type { HttpPools } from "./http/pools.ts";
import type { JsonAdapter } from "./json-adapter.ts";
import { post } from "./post.ts";
import type { Adapters } from "./provider.ts";
import { readResponse } from "./reading/read-response.ts";
import { adapterFor } from "./registry.ts";

/** The kinds of adapters that are JSON adapters. */
export type JsonKind = {
  [K in keyof Adapters]-?: NonNullable<Adapters[K]> extends JsonAdapter<never, unknown> ? K : never;
}[keyof Adapters];

type CallOf<K extends JsonKind> = Parameters<NonNullable<Adapters[K]>["decode"]>[1];
type ResponseOf<K extends JsonKind> = ReturnType<NonNullable<Adapters[K]>["decode"]>;

export interface JsonCallOptions<Call> {
  readonly pools: HttpPools;
  readonly call: Call;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  /** For a call that the upstream charges for. */
  readonly disconnect?: DisconnectRule;
  /** Accounts for the response. */
  readonly memory: ResponseMemory;
  /** A longer response is not read. */
  readonly maxBytes: number;
}

/**
 * Makes one call to one upstream.
 * @throws {UpstreamFailure}
 */
export async function callJson<K extends JsonKind>(
  kind: K,
  { pools, call, upstream, signal, disconnect, memory, maxBytes }: JsonCallOptions<CallOf<K>>,
): Promise<ResponseOf<K>> {
  const { protocol } = upstream.provider;
  const adapter = adapterFor(kind, protocol) as JsonAdapter<CallOf<K>, ResponseOf<K>> | undefined;
  if (adapter === undefined) throw new UpstreamFailure("operator", `${protocol} does not support ${kind}`);
  const encoded = adapter.encode(call, upstream);
  const rule = disconnect === undefined ? {} : { disconnect };
  const response = await post({ pools, upstream, call: encoded, signal, failureOf: adapter.failureOf, ...rule });
  return await readResponse(response, {
    maxBytes,
    memory,
    usageIn: adapter.usageIn ?? (() => undefined),
    decode: (body) => adapter.decode(body, call, upstream, (name) => response.header(name)),
  });
}
