import type { EmbeddingTraits, Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "./disconnect/watch.ts";
import { type EmbeddingCall, type EmbeddingResponse, numberBytes } from "./embeddings/types.ts";
import { UpstreamFailure } from "./failure.ts";
import type { HttpPools } from "./http/pools.ts";
import { post } from "./post.ts";
import { readResponse } from "./reading/read-response.ts";
import { adapterFor } from "./registry.ts";

/** Around the numbers of one vector: its index, the names of its fields. */
const itemBytes = 256;
/** Around the vectors: usage, the model's name. */
const envelopeBytes = 64 * 1024;
/** A number with 17 digits, an exponent, and the indentation of some providers. */
const maxNumberBytes = 48;

export interface EmbedOptions {
  readonly pools: HttpPools;
  readonly call: EmbeddingCall;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  readonly disconnect: DisconnectRule;
  /** Accounts for the response. */
  readonly memory: ResponseMemory;
}

/**
 * Makes one call to one upstream.
 * @throws {UpstreamFailure}
 */
export async function embed(options: EmbedOptions): Promise<EmbeddingResponse> {
  const { pools, call, upstream, signal, disconnect, memory } = options;
  const { protocol } = upstream.provider;
  const adapter = adapterFor("embeddings", protocol);
  if (adapter === undefined) throw new UpstreamFailure("operator", `${protocol} does not support embeddings`);
  const encoded = adapter.encode(call, upstream);
  const response = await post({ pools, upstream, call: encoded, signal, disconnect, failureOf: adapter.failureOf });
  return await readResponse(response, {
    maxBytes: bytesOf(call, maxNumberBytes),
    memory,
    usageIn: adapter.usageIn,
    decode: (body) => adapter.decode(body, call, upstream),
  });
}

type Sized = { readonly traits: EmbeddingTraits } & Pick<EmbeddingCall, "inputs" | "dimensions">;

/** What the responses of these upstreams to a request take up in memory, bytes. */
export function expectedBytes(request: Sized, upstreams: readonly Upstream[]): number {
  const expected = upstreams.map(({ provider: { protocol } }) => {
    const { numbersIn = "text" } = adapterFor("embeddings", protocol) ?? {};
    return bytesOf(request, numberBytes[numbersIn]);
  });
  return Math.max(0, ...expected);
}

/** Vectors that are cut here arrive in their full size. */
function bytesOf({ traits, inputs, dimensions = 0 }: Sized, perNumber: number): number {
  const numbers = Math.max(traits.dimensions, dimensions);
  return Math.ceil(envelopeBytes + inputs.length * (itemBytes + numbers * perNumber));
}
