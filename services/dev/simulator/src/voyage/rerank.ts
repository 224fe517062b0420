import { z } from "zod";
import { integerBetween, randomFrom } from "../content/hash.ts";
import { countTokens } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply } from "../http/types.ts";
import { rejectVoyage } from "./protocol.ts";

/** https://docs.voyageai.com/docs/reranker: tokens of a query, and of it with one document. */
const models: { readonly [id: string]: { readonly query: number; readonly context: number } } = {
  "rerank-2.5": { query: 8_000, context: 32_000 },
  "rerank-2.5-lite": { query: 8_000, context: 32_000 },
};
const maxDocuments = 1_000;
const maxTokens = 600_000;

const schema = z.strictObject({
  query: z.string().min(1),
  documents: z.array(z.string()).min(1).max(maxDocuments),
  model: z.string(),
  top_k: z.int().positive().nullish(),
  return_documents: z.boolean().nullish(),
  truncation: z.boolean().nullish(),
});

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/\w+/g) ?? []);

/** The share of the query's words that a document has, with a little that differs by document. */
function relevanceOf(query: ReadonlySet<string>, document: string, digest: string): number {
  const words = wordsOf(document);
  const shared = [...query].filter((word) => words.has(word)).length / Math.max(1, query.size);
  return Math.round((0.2 + 0.7 * shared) * 1e4 + integerBetween(randomFrom(digest, document), 0, 500)) / 1e4;
}

/** `POST /v1/rerank` */
export function voyageRerank(call: Call): Reply {
  const parsed = schema.safeParse(call.body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw rejectVoyage(400, `Value for argument '${issue?.path.join(".") ?? ""}' is invalid: ${issue?.message}.`);
  }
  const { query, documents, top_k: top, return_documents: returnsDocuments = false } = parsed.data;
  const model = models[call.model ?? ""];
  if (model === undefined) {
    const names = Object.keys(models).join(", ");
    throw rejectVoyage(400, `Model ${call.model} is not supported. Supported models are ${names}.`);
  }
  const ofQuery = Math.min(countTokens(query), model.query);
  const ofDocuments = documents.map((text) => Math.min(countTokens(text), model.context - ofQuery));
  const tokens = ofDocuments.reduce((sum, count) => sum + ofQuery + count, 0);
  if (tokens > maxTokens) {
    const message = `The max allowed tokens per submitted batch is ${maxTokens}. Your batch has ${tokens} tokens.`;
    throw rejectVoyage(400, message);
  }
  const words = wordsOf(query);
  const data = documents
    .map((document, index) => ({
      relevance_score: relevanceOf(words, document, call.digest),
      index,
      ...(returnsDocuments === true && { document }),
    }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, top ?? documents.length);
  const trueUsage = { total_tokens: tokens };
  const usage = reportedUsage(trueUsage, call.faults);
  const reported = usage === undefined ? {} : { usage };
  const body = { object: "list", data, model: call.model, ...reported };
  return { type: "json", status: 200, body, ...reported, trueUsage, units: { input_tokens: tokens } };
}
