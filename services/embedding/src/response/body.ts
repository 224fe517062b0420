import type { ReadyVectors } from "./ready.ts";

const opening = Buffer.from(`{"object":"list","data":`);
const listEnd = Buffer.from("}]");

/**
 * Builds the response body in pieces: upstream bytes are passed on without copying.
 * @param parts in the order of the inputs
 * @param model the public model id
 */
export function embeddingsBody(
  parts: readonly ReadyVectors[],
  { model, tokens }: { model: string; tokens: number },
): Buffer[] {
  const pieces: Buffer[] = [opening];
  const whole = parts.length === 1 ? parts[0]?.list : undefined;
  if (whole === undefined) pushItems(pieces, parts);
  else pieces.push(whole);
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  pieces.push(Buffer.from(`,"model":${JSON.stringify(model)},"usage":${usage}}`));
  return pieces;
}

function pushItems(pieces: Buffer[], parts: readonly ReadyVectors[]): void {
  let index = 0;
  for (const { values } of parts) for (const value of values) pieces.push(beginningOf(index++), value);
  pieces.push(listEnd);
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
