import type { EmbeddingResponse, VectorFormat } from "@uag/upstreams/embeddings/types.ts";
import { convertVector, isIn } from "@uag/upstreams/embeddings/vectors/convert.ts";

/** A part's vectors in the client's format. */
export interface ReadyVectors {
  /**
   * JSON values, in order: the upstream's own bytes if they are already in the requested format.
   */
  readonly values: readonly Buffer[];
  /** The upstream's whole list, when it can be passed on unchanged. */
  readonly list: Buffer | undefined;
}

/**
 * Converts a response's vectors to the client's format and size.
 * @param wanted `dimensions` is the size for vectors that are not yet final in size and length
 * @throws {UpstreamFailure} for a vector that cannot be read
 */
export function readyVectors(
  { vectors, finished, list }: EmbeddingResponse,
  wanted: { format: VectorFormat; dimensions: number },
): ReadyVectors {
  const dimensions = finished ? undefined : wanted.dimensions;
  const passable = finished && vectors.every((vector) => isIn(vector, wanted.format));
  return {
    values: vectors.map((vector) => convertVector(vector, wanted.format, dimensions)),
    list: passable ? list : undefined,
  };
}
