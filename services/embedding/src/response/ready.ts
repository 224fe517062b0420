import { Pace } from "@uag/kit/pace.ts";
import type { EmbeddingResponse, VectorFormat } from "@uag/upstreams/embeddings/types.ts";
import { type ConvertedVector, convertVector, isIn } from "@uag/upstreams/embeddings/vectors/convert.ts";

/** A part's vectors in the client's format. */
export interface ReadyVectors {
  /** In order: the upstream's own bytes if they are already in the requested format. */
  readonly values: readonly ConvertedVector[];
  /** The upstream's whole list, when it can be passed on unchanged. */
  readonly list: Buffer | undefined;
}

/**
 * Converts a response's vectors to the client's format and size, in turns of the event loop.
 * @param wanted `dimensions` is the size for vectors that are not yet final in size and length
 * @throws {UpstreamFailure} for a vector that cannot be read
 */
export async function readyVectors(
  { vectors, finished, list }: EmbeddingResponse,
  wanted: { format: VectorFormat; dimensions: number },
): Promise<ReadyVectors> {
  const dimensions = finished ? undefined : wanted.dimensions;
  if (list !== undefined && finished && vectors.every((vector) => isIn(vector, wanted.format)))
    return { values: vectors.map(({ body, start, end }) => body.subarray(start, end)), list };
  const values: ConvertedVector[] = [];
  const pace = new Pace();
  for (const vector of vectors) {
    values.push(convertVector(vector, wanted.format, dimensions));
    if (pace.isOver) await pace.rest();
  }
  return { values, list: undefined };
}
