/** What is asked of embeddings and what must come back, known to both ends of the benchmark. */
import { nonceText } from "./answers.ts";
import { isOk, WrongAnswer } from "./check-json.ts";

export const vectorCount = 64;
export const vectorSize = 1_024;
export type VectorFormat = "float" | "base64";

const tokens = 640;
const sentence = "The quick brown fox jumps over the lazy dog and finds the ledger exact to the last nano.";

/** The body of a request; its nonce stands in the first text. */
export function embeddingsBody({
  model,
  nonce,
  format,
}: {
  model: string;
  nonce: string;
  format: VectorFormat;
}): string {
  const input = Array.from({ length: vectorCount }, (_, index) =>
    index === 0 ? `nonce=${nonce}` : `${index} ${sentence}`,
  );
  return JSON.stringify({ model, input, dimensions: vectorSize, encoding_format: format });
}

/**
 * The list of vectors of an answer. In each place where vectors begin stands the nonce: as the decimals of the first number, or as
 * the first characters of the base64.
 */
function makeList(format: VectorFormat, nonce: string): string {
  const floats = Float32Array.from({ length: vectorSize }, (_, index) => Math.sin(index + 1) / 23);
  const numbers = `[0.${nonce},${Array.from(floats.subarray(1)).join(",")}]`;
  const base64 = `"${nonce}${Buffer.from(floats.buffer).toString("base64").slice(nonce.length)}"`;
  const vector = format === "float" ? numbers : base64;
  const items = Array.from(
    { length: vectorCount },
    (_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  return `[${items.join(",")}]`;
}

const anyNonce = nonceText(0);
const pieces = new Map<VectorFormat, string[]>();

/** The list for a nonce, put together from pieces that are made once. */
export function vectorList(format: VectorFormat, nonce: string): string {
  let known = pieces.get(format);
  if (known === undefined) {
    const mark = format === "float" ? `[0.${anyNonce},` : `"${anyNonce}`;
    known = makeList(format, anyNonce).split(mark);
    pieces.set(format, known);
  }
  return known.join(format === "float" ? `[0.${nonce},` : `"${nonce}`);
}

export function embeddingsAnswer(options: { model: string; nonce: string; format: VectorFormat }): string {
  const { model, nonce, format } = options;
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  return `{"object":"list","data":${vectorList(format, nonce)},"model":"${model}","usage":${usage}}`;
}

/** Throws unless this is the whole and right answer to the request with that nonce. */
export function checkEmbeddings(
  answer: { readonly head: string; readonly body: string; readonly nonce: string },
  format: VectorFormat,
): void {
  if (!isOk(answer.head)) throw new WrongAnswer("not a 200", answer);
  const list = vectorList(format, answer.nonce);
  const at = answer.body.indexOf('"data":') + '"data":'.length;
  // A gateway may write numbers in another way, but must keep what they mean.
  if (!answer.body.startsWith(list, at)) checkMeaning(answer, list);
  if (!new RegExp(`"total_tokens": ?${tokens}\\b`).test(answer.body.slice(-400)))
    throw new WrongAnswer("wrong usage", answer);
}

interface Item {
  readonly embedding: readonly number[] | string;
}

function checkMeaning(
  answer: { readonly head: string; readonly body: string; readonly nonce: string },
  list: string,
): void {
  const { data } = JSON.parse(answer.body) as { data: readonly Item[] };
  const expected = JSON.parse(list) as readonly Item[];
  const same = ({ embedding }: Item, index: number): boolean => {
    const wanted = expected[index]?.embedding;
    if (typeof embedding === "string" || typeof wanted === "string" || wanted === undefined)
      return embedding === wanted;
    return (
      embedding.length === wanted.length &&
      embedding.every((value, i) => Math.fround(value) === Math.fround(wanted[i]!))
    );
  };
  if (data.length !== expected.length || !data.every(same)) throw new WrongAnswer("wrong vectors", answer);
}
