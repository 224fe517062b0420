/** The requests for embeddings and the expected responses, shared by both ends of the benchmark. */
import { isOk, WrongResponse } from "./check-json.ts";

export const vectorCount = 64;
export const vectorSize = 1_024;
export type VectorFormat = "float" | "base64";

const tokens = 640;
const sentence = "The quick brown fox jumps over the lazy dog and finds the ledger exact to the last nano.";

/** The body of a request; its nonce is in the first text. */
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
 * The format of numbers: as JSON.stringify formats the doubles of the floats, or as short as 32-bit
 * floats allow.
 */
type Writing = "double" | "short" | "base64";

/** Number of base64 characters of three floats. */
const markLength = 16;

/** The nonce as the start of a vector: three floats, each of four of its digits. */
function markOf(nonce: string, writing: Writing): string {
  const digits = [nonce.slice(0, 4), nonce.slice(4, 8), nonce.slice(8)].map(Number);
  const bytes = Buffer.from(Float32Array.from(digits, (value) => (value + 1) / 16_384).buffer);
  return writing === "base64" ? `"${bytes.toString("base64")}` : `[${textsOf(bytes, writing).join(",")},`;
}

function textsOf(bytes: Buffer, writing: "double" | "short"): string[] {
  const floats = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
  return writing === "double" ? floats.map(String) : floats.map(shortest);
}

function shortest(float: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const value = Number(float.toPrecision(digits));
    if (Math.fround(value) === float) return String(value);
  }
  return String(Number(float.toPrecision(9)));
}

const pieces = new Map<Writing, readonly [before: string, after: string]>();

/**
 * The list of a response as text before and after what depends on its nonce: the beginning of the
 * first vector.
 */
function makePieces(writing: Writing): readonly [before: string, after: string] {
  const floats = Float32Array.from({ length: vectorSize }, (_, index) => Math.sin(index + 1) / 23);
  const bytes = Buffer.from(floats.buffer);
  const base64 = bytes.toString("base64");
  const whole = writing === "base64" ? `"${base64}"` : `[${textsOf(bytes, writing).join(",")}]`;
  const rest = writing === "base64" ? base64.slice(markLength) : textsOf(bytes, writing).slice(3).join(",");
  const opening = (index: number): string => `{"object":"embedding","index":${index},"embedding":`;
  const others = Array.from({ length: vectorCount - 1 }, (_, index) => `,${opening(index + 1)}${whole}}`);
  return [`[${opening(0)}`, `${rest}${writing === "base64" ? '"' : "]"}}${others.join("")}]`];
}

/** The list of a response, assembled from prepared pieces. */
function vectorList(writing: Writing, nonce: string): string {
  let known = pieces.get(writing);
  if (known === undefined) {
    known = makePieces(writing);
    pieces.set(writing, known);
  }
  return known[0] + markOf(nonce, writing) + known[1];
}

export function embeddingsResponse(options: { model: string; nonce: string; format: VectorFormat }): string {
  const { model, nonce, format } = options;
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  return `{"object":"list","data":${vectorList(format === "float" ? "double" : format, nonce)},"model":"${model}","usage":${usage}}`;
}

/** Throws unless this is the complete, correct response to the request with that nonce. */
export function checkEmbeddings(
  response: { readonly head: string; readonly body: string; readonly nonce: string },
  format: VectorFormat,
): void {
  if (!isOk(response.head)) throw new WrongResponse("not a 200", response);
  const at = response.body.indexOf('"data":') + '"data":'.length;
  const writings: readonly Writing[] = format === "base64" ? ["base64"] : ["short", "double"];
  const isRight = writings.some((writing) => response.body.startsWith(vectorList(writing, response.nonce), at));
  // A gateway may format numbers differently, but must preserve their values.
  if (!isRight) checkMeaning(response, vectorList(format === "float" ? "double" : format, response.nonce));
  if (!new RegExp(`"total_tokens": ?${tokens}\\b`).test(response.body.slice(-400)))
    throw new WrongResponse("wrong usage", response);
}

interface Item {
  readonly embedding: readonly number[] | string;
}

function checkMeaning(
  response: { readonly head: string; readonly body: string; readonly nonce: string },
  list: string,
): void {
  const { data } = JSON.parse(response.body) as { data: readonly Item[] };
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
  if (data.length !== expected.length || !data.every(same)) throw new WrongResponse("wrong vectors", response);
}
