import { type BodyKind, bodyKind, maxBlankBytes } from "./body-kind.ts";

export interface SniffedChunks {
  readonly kind: BodyKind;
  /** All chunks, those that were looked at included. */
  readonly chunks: AsyncGenerator<Buffer, void, undefined>;
}

/** What a body is by its first bytes, whatever its content type says; an empty one is `other`. */
export async function sniffedChunks(chunks: AsyncGenerator<Buffer, void, undefined>): Promise<SniffedChunks> {
  const first: Buffer[] = [];
  let bytes = 0;
  let kind: BodyKind | undefined;
  while (kind === undefined && bytes <= maxBlankBytes) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    first.push(value);
    bytes += value.length;
    kind = bodyKind(Buffer.concat(first));
  }
  return { kind: kind ?? "other", chunks: together(first, chunks) };
}

async function* together(
  first: readonly Buffer[],
  rest: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return();
  }
}
