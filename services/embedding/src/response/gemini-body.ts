import type { Embedded } from "../call.ts";
import { vectorList } from "./list.ts";

const first = Buffer.from('[{"values":');
const next = Buffer.from('},{"values":');
const beginningOf = (index: number): Buffer => (index === 0 ? first : next);

/** The body of a response with many vectors in Gemini's format, as a whole or in pieces. */
export function batchEmbedContentsBody(embedded: Embedded): readonly Buffer[] | Iterable<Buffer> {
  const closing = Buffer.from(`,"usageMetadata":${geminiUsageOf(embedded)}}`);
  return vectorList(embedded.parts, { opening: Buffer.from('{"embeddings":'), beginningOf, closing });
}

/** The same with one vector: the only item of such a list. */
export function embedContentBody(embedded: Embedded): readonly Buffer[] {
  const list = Buffer.concat([
    ...vectorList(embedded.parts, { opening: Buffer.alloc(0), beginningOf, closing: Buffer.alloc(0) }),
  ]);
  const item = list.subarray(list.indexOf("{"), list.lastIndexOf("}") + 1);
  return [Buffer.from('{"embedding":'), item, Buffer.from(`,"usageMetadata":${geminiUsageOf(embedded)}}`)];
}

/** The provider's own usage where it has this format. */
function geminiUsageOf({ parts, usage }: Embedded): string {
  const [only, ...others] = parts;
  const own = others.length === 0 && only?.list !== undefined ? only.usage : undefined;
  return own === undefined ? `{"promptTokenCount":${usage.tokens}}` : own.raw.toString("utf8");
}
