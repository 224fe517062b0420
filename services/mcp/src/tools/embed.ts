import { embeddingRequest, maxEmbeddingInputs } from "@uag/contract/requests/embeddings";
import { embeddingResult } from "@uag/contract/responses/media";
import { Pace } from "@uag/runtime/pace";
import { decodeFloats } from "@uag/untrusted/vectors/base64";
import { checkFinite, formatFloats } from "@uag/untrusted/vectors/format";
import { type FoundVector, scanVectors } from "@uag/untrusted/vectors/scan";
import { z } from "zod";
import { costOf, costUsd, modelField, optionalField, present } from "./schemas.ts";
import { defineTool } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** 2,048 vectors of 3,072 numbers with 13 characters each. */
const maxResponseBytes = 96 * 1024 * 1024;
const tooLong = "The vectors exceed 96 MiB in total. Send fewer texts per call, or request fewer dimensions.";
/** Longer vectors are only in the structured content, not in the text that a model reads too. */
const maxTextBytes = 64 * 1024;

const names = { list: "data", vector: "embedding" };
const envelope = embeddingResult.pick({ model: true, usage: true });

export const embed = defineTool({
  name: "embed",
  title: "Embed texts",
  description: "Creates embedding vectors of texts. Billed per token.",
  operation: "embeddings",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({
    model: modelField(embeddingRequest.shape.model),
    texts: z.array(z.string().min(1)).min(1).max(maxEmbeddingInputs),
    dimensions: optionalField(embeddingRequest.shape.dimensions).describe(
      "Size of the vectors, if the model supports several.",
    ),
  }),
  output: envelope.extend({
    vectors: z.array(z.array(z.number())).describe("In the order of the texts."),
    cost_usd: costUsd,
  }),
  async run({ model, texts, dimensions }, { exchange, idempotencyKey, signal }) {
    const json = present({ model, input: texts, dimensions, encoding_format: "base64" });
    const response = await exchange.call({ method: "POST", path: "/v1/embeddings", json, idempotencyKey, signal });
    const body = await exchange.readBytes(response, maxResponseBytes).catch((error: unknown) => {
      if (error instanceof RangeError) throw new ToolError(tooLong);
      throw error;
    });
    const { vectors, ...embedded } = await embeddedIn(body);
    const rest = { ...embedded, ...costOf(response.headers) };
    if (body.length <= maxTextBytes) {
      const parsed = JSON.parse(Buffer.concat([...listOf(body, vectors)]).toString("latin1")) as number[][];
      return { structured: { ...rest, vectors: parsed } };
    }
    // A stand-in: the numbers are written as the response is sent.
    const spliced = exchange.splices.add(() => listOf(body, vectors)) as unknown as number[][];
    const summary = { ...rest, vectors: `${vectors.length} vectors, see structuredContent.vectors` };
    return { structured: { ...rest, vectors: spliced }, content: [{ type: "text", text: JSON.stringify(summary) }] };
  },
});

interface Embedded extends z.infer<typeof envelope> {
  /** Where they are in the response, in the order of the texts. */
  readonly vectors: readonly FoundVector[];
}

/** @throws {Error} for a response that is not one of embeddings in base64 */
async function embeddedIn(body: Buffer): Promise<Embedded> {
  const { vectors, members } = scanVectors(body, names);
  const member = (name: string): unknown => {
    const range = members.get(name);
    return range && JSON.parse(body.toString("utf8", range.start, range.end));
  };
  const pace = new Pace();
  for (const vector of vectors) {
    checkFinite(decodeFloats(body, vector));
    if (pace.isOver) await pace.rest();
  }
  const { model, usage } = envelope.parse({ model: member("model"), usage: member("usage") });
  return { model, usage, vectors: vectors.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** The vectors as a JSON list of lists of numbers, in pieces. */
function* listOf(body: Buffer, vectors: readonly FoundVector[]): Generator<Buffer, void, undefined> {
  for (const [place, vector] of vectors.entries()) {
    yield Buffer.from(place === 0 ? "[" : ",");
    yield formatFloats(decodeFloats(body, vector));
  }
  yield Buffer.from("]");
}
