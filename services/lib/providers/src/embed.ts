import type { EmbeddingTraits, Upstream } from "@uag/catalog/types";
import { callJson, type JsonCallOptions } from "./call-json.ts";
import { type EmbeddingCall, type EmbeddingResponse, numberBytes } from "./embeddings/types.ts";
import { adapterFor } from "./registry.ts";

/** Around the numbers of one vector: its index, the names of its fields. */
const itemBytes = 256;
/** Around the vectors: usage, the model's name. */
const envelopeBytes = 64 * 1024;
/** A number with 17 digits, an exponent, and the indentation of some providers. */
const maxNumberBytes = 48;

/**
 * Makes one call to one upstream.
 * @throws {UpstreamFailure}
 */
export async function embed(options: Omit<JsonCallOptions<EmbeddingCall>, "maxBytes">): Promise<EmbeddingResponse> {
  return await callJson("embeddings", { ...options, maxBytes: bytesOf(options.call, maxNumberBytes) });
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
