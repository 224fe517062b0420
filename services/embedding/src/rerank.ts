import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import { rerankRequest } from "@uag/contract/requests/rerank";
import type { UsageCharge } from "@uag/pipeline/bill";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineOperation } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { Size } from "@uag/pipeline/operation/operation-spec";
import type { Fields } from "@uag/pipeline/request/body";
import { modelOf } from "@uag/pipeline/request/model-of";
import { callJson } from "@uag/providers/call-json";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import type { RankedDocument } from "@uag/providers/rerank/types";
import { countTokens } from "@uag/providers/tokens";
import { checked } from "@uag/untrusted/schema-fault";
import type { EmbeddingContext } from "./embedding-operation.ts";

/** A valid request to rank documents. */
interface RerankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Number of results. */
  readonly results: number;
  readonly returnsDocuments: boolean;
}

const bytesPerToken = 4;
const envelopeBytes = 64 * 1024;
/** A result is an index and a score. */
const maxResultBytes = 256;

/**
 * `POST /v1/rerank`, in the format that Cohere's and Jina's clients share. Every provider completes
 * a ranking, and bills it, after a disconnect.
 */
export function rerank(context: EmbeddingContext): Operation {
  const { drains, pools } = context;
  return defineOperation(context, {
    name: "rerank",
    body: jsonBody(),
    modelOf,
    fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts.rerank }),
    read: ({ fields }) => read(fields),
    size: ({ model, request }) => rerankSizeOf(request, model),
    call: ({ exchange, admitted, attempt, memory, request }) =>
      attempt((upstream) => {
        const { requestId, signal } = exchange;
        const disconnect = { drains, onAbort: "continues", draining: () => admitted.clientLeft() } as const;
        const maxBytes = envelopeBytes + request.results * maxResultBytes;
        const call = { requestId, ...request };
        return callJson("rerank", { pools, call, upstream, signal, disconnect, memory, maxBytes });
      }),
    owed: ({ model, request }) => estimate(request, model),
    async respond({ exchange, model, request }, { value, upstream, attempts }) {
      const charge = value.usage ?? (await estimate(request, model));
      const tokens = Number(charge.units[0]?.quantity ?? 0n);
      const body = bodyOf(request, value.ranked, { id: exchange.requestId, model: model.id, tokens });
      return { kind: "unary", upstream, attempts, charge, headers: ["content-type", "application/json"], body };
    },
  });
}

/** @throws {GatewayError} `invalid_request`, naming the field */
function read(fields: Fields): RerankRequest {
  const { query, documents, top_n: top, return_documents: returnsDocuments } = checked(rerankRequest, fields);
  return {
    query,
    documents: documents.map((document) => (typeof document === "string" ? document : document.text)),
    results: Math.min(top ?? documents.length, documents.length),
    returnsDocuments: returnsDocuments ?? false,
  };
}

/** A token is at least one byte, and a query is read once with each document. */
function rerankSizeOf({ query, documents }: RerankRequest, { contextTokens, price }: Model): Size {
  const mostOf = (text: string): number => Math.min(Buffer.byteLength(text), contextTokens);
  const most = documents.reduce((sum, document) => sum + mostOf(document), documents.length * mostOf(query));
  const holdNanoUsd = bound([{ quantity: BigInt(most), anyOf: sizings.rerank.input }], price);
  return { holdNanoUsd, tokens: Math.ceil(most / bytesPerToken) };
}

/** Counts with our tokenizer, which may differ from the upstream's. */
async function estimate(request: RerankRequest, { contextTokens }: Model): Promise<UsageCharge> {
  const { query, documents } = request;
  const ofQuery = Math.min(await countTokens(query), contextTokens);
  let tokens = documents.length * ofQuery;
  for (const document of documents) tokens += Math.min(await countTokens(document), contextTokens);
  return { units: [{ name: "input_tokens", quantity: BigInt(tokens) }], estimated: true };
}

interface Named {
  readonly id: string;
  readonly model: string;
  readonly tokens: number;
}

function bodyOf(
  { documents, returnsDocuments }: RerankRequest,
  ranked: readonly RankedDocument[],
  { id, model, tokens }: Named,
): Buffer {
  const results = ranked.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(returnsDocuments && { document: { text: documents[index] } }),
  }));
  const meta = {
    api_version: { version: "2" },
    billed_units: { total_tokens: tokens },
    tokens: { input_tokens: tokens },
  };
  return Buffer.from(JSON.stringify({ id, object: "list", model, results, usage: { total_tokens: tokens }, meta }));
}
