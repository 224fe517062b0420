import type { ReadyVectors } from "./ready.ts";

const opening = Buffer.from(`{"object":"list","data":`);
const listEnd = Buffer.from("}]");

/** Up to this many vectors are written at once, so that the response has a length. */
const maxWrittenAtOnce = 32;

/**
 * Builds the response body in pieces: upstream bytes are passed on without copying, and the vectors
 * of a long response are written one by one as it is sent.
 * @param parts in the order of the inputs
 * @param model the public model id
 */
export function embeddingsBody(
  parts: readonly ReadyVectors[],
  { model, tokens }: { model: string; tokens: number },
): readonly Buffer[] | Iterable<Buffer> {
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  const closing = Buffer.from(`,"model":${JSON.stringify(model)},"usage":${usage}}`);
  const whole = parts.length === 1 ? parts[0]?.list : undefined;
  if (whole !== undefined) return [opening, whole, closing];
  let converted = 0;
  for (const { values } of parts) for (const value of values) if (typeof value === "function") converted++;
  const pieces = itemPieces(parts, closing);
  return converted <= maxWrittenAtOnce ? [...pieces] : pieces;
}

function* itemPieces(parts: readonly ReadyVectors[], closing: Buffer): Generator<Buffer, void, undefined> {
  yield opening;
  let index = 0;
  for (const { values } of parts) {
    for (const value of values) {
      yield beginningOf(index++);
      yield typeof value === "function" ? value() : value;
    }
  }
  yield listEnd;
  yield closing;
}

/** The text before each vector of a list, by index: the same in all responses. */
const beginnings: Buffer[] = [];

function beginningOf(index: number): Buffer {
  let beginning = beginnings[index];
  if (beginning === undefined) {
    const between = index === 0 ? "[" : "},";
    beginning = Buffer.from(`${between}{"object":"embedding","index":${index},"embedding":`);
    beginnings[index] = beginning;
  }
  return beginning;
}
