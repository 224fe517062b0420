import type { EmbeddingResponse, VectorFormat } from "@uag/upstreams/embeddings/types.ts";
import { convertVector, isIn } from "@uag/upstreams/embeddings/vectors/convert.ts";

/** A part's vectors as the client gets them. */
export interface ReadyVectors {
  /** JSON values, in order: the upstream's own bytes where they are what the client asked for. */
  readonly values: readonly Buffer[];
  /** The upstream's whole list, when all of it can go to the client as it is. */
  readonly list: Buffer | undefined;
}

/**
 * Brings an answer's vectors into the client's format and size.
 * @param wanted `dimensions` is the size that vectors get which are not of their final size and
 * length yet
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
