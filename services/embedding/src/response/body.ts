import { vectorList } from "./list.ts";
import type { ReadyVectors } from "./ready.ts";

const opening = Buffer.from(`{"object":"list","data":`);

/**
 * The body of a response in OpenAI's format, as a whole or in pieces.
 * @param parts in the order of the inputs
 * @param model the public model id
 */
export function embeddingsBody(
  parts: readonly ReadyVectors[],
  { model, tokens }: { model: string; tokens: number },
): readonly Buffer[] | Iterable<Buffer> {
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  const closing = Buffer.from(`,"model":${JSON.stringify(model)},"usage":${usage}}`);
  return vectorList(parts, { opening, beginningOf, closing });
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
