import type { EmbeddingResponse, VectorFormat } from "@uag/providers/embeddings/types";
import { type ConvertedVector, convertVector, isIn } from "@uag/providers/embeddings/vectors/convert";
import { floatsIn } from "@uag/providers/embeddings/vectors/size";
import { unusableResponse } from "@uag/providers/failure";
import { Pace } from "@uag/runtime/pace";

/** A part's vectors in the client's format. */
export interface ReadyVectors {
  /** In order: the upstream's own bytes if they are already in the requested format. */
  readonly values: readonly ConvertedVector[];
  /** The upstream's whole list, when it can be passed on unchanged. */
  readonly list: Buffer | undefined;
}

/** What the client gets. */
export interface WantedVectors {
  readonly format: VectorFormat;
  /** The size of each vector; those that are not final are cut to it. */
  readonly dimensions: number;
}

/**
 * Converts a response's vectors to the client's format and size, in turns of the event loop.
 * @throws {UpstreamFailure} for a vector that cannot be read or has another size than the model's
 */
export async function readyVectors(
  { vectors, finished, list }: EmbeddingResponse,
  wanted: WantedVectors,
): Promise<ReadyVectors> {
  const dimensions = finished ? undefined : wanted.dimensions;
  const pace = new Pace();
  for (const vector of vectors) {
    checkSize(floatsIn(vector), wanted.dimensions, finished);
    if (pace.isOver) await pace.rest();
  }
  if (list !== undefined && finished && vectors.every((vector) => isIn(vector, wanted.format)))
    return { values: vectors.map(({ body, start, end }) => body.subarray(start, end)), list };
  const values: ConvertedVector[] = [];
  for (const vector of vectors) {
    values.push(convertVector(vector, wanted.format, dimensions));
    if (pace.isOver) await pace.rest();
  }
  return { values, list: undefined };
}

/** A vector of another size would be stored among others that it cannot be compared with. */
function checkSize(floats: number, wanted: number, finished: boolean): void {
  if (finished ? floats === wanted : floats >= wanted) return;
  throw unusableResponse(`the upstream sent a vector of ${floats} numbers instead of ${wanted}`);
}
