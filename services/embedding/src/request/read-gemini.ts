import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { batchEmbedContentsRequest, embedContentRequest, type TaskType } from "@uag/contract/requests/embed-content";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import type { InputType } from "@uag/providers/embeddings/types";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import { tokenBound } from "../parts/split.ts";
import { readDimensions } from "./dimensions.ts";
import { type EmbeddingRequest, traitsOf } from "./read.ts";

type EmbedContentRequest = z.output<typeof embedContentRequest>;

/** What models that distinguish queries and documents get for a task type; nothing for the others. */
const inputTypes: Readonly<Partial<Record<TaskType, InputType>>> = {
  RETRIEVAL_QUERY: "query",
  RETRIEVAL_DOCUMENT: "document",
  QUESTION_ANSWERING: "query",
  FACT_VERIFICATION: "query",
  CODE_RETRIEVAL_QUERY: "query",
};

/**
 * Validates a request for one vector in Gemini's format.
 * @throws {GatewayError} naming the field at fault
 */
export function readEmbedContent({ fields, sent }: JsonBody, model: Model): EmbeddingRequest {
  const request = checked(embedContentRequest, { ...fields, model: sent["model"] });
  return requestFor([request], { named: fields["model"], model, placeOf: (_, name) => name });
}

/**
 * The same for a list of such requests, which agree in all but their contents and titles.
 * @throws {GatewayError} naming the field at fault
 */
export function readBatch({ fields }: JsonBody, model: Model): EmbeddingRequest {
  const { requests } = checked(batchEmbedContentsRequest, fields);
  return requestFor(requests, { named: fields["model"], model, placeOf: (at, name) => `requests[${at}].${name}` });
}

interface Naming {
  /** The path's model, as the client named it. */
  readonly named: unknown;
  readonly model: Model;
  /** The place of a member of a request, for errors. */
  placeOf(at: number, name: string): string;
}

function requestFor(requests: readonly EmbedContentRequest[], naming: Naming): EmbeddingRequest {
  const { model, placeOf } = naming;
  const traits = traitsOf(model);
  const [{ taskType, outputDimensionality } = {}] = requests;
  for (const [at, request] of requests.entries()) checkOne(request, at, { ...naming, taskType, outputDimensionality });
  const inputs = requests.map(inputOf);
  return {
    traits,
    inputs,
    bounds: inputs.map((input) => tokenBound(input, model.contextTokens)),
    format: "float",
    dimensions: readDimensions(outputDimensionality, traits, placeOf(0, "outputDimensionality")),
    inputType: taskType == null ? undefined : inputTypes[taskType],
    contents: requests.map(contentOf),
  };
}

type Common = Pick<EmbedContentRequest, "taskType" | "outputDimensionality">;

function checkOne(request: EmbedContentRequest, at: number, { named, placeOf, ...common }: Naming & Common): void {
  const fault = (name: string, what: string): GatewayError => {
    const param = placeOf(at, name);
    return new GatewayError("invalid_request", `${param}: ${what}.`, { param });
  };
  const { model, content, title } = request;
  if (model != null && model.replace(/^models\//, "") !== named) throw fault("model", "must be the model of the path");
  if (content.parts.every(({ text }) => text === "")) throw fault("content.parts", "must have a text");
  for (const name of ["taskType", "outputDimensionality"] as const)
    if (request[name] !== common[name]) throw fault(name, "must be the same in every request of a batch");
  if (title != null && common.taskType !== "RETRIEVAL_DOCUMENT")
    throw fault("title", "requires the taskType RETRIEVAL_DOCUMENT");
}

/** The text for providers without titles: a line with the title, then the parts, each on lines of its own. */
function inputOf({ title, content }: EmbedContentRequest): string {
  const texts = content.parts.map(({ text }) => text);
  return (title == null ? texts : [title, ...texts]).join("\n");
}

/** What a provider of the same format gets: nothing that could cost more than the input. */
function contentOf({ content, taskType, title }: EmbedContentRequest): Fields {
  return { content, ...(taskType != null && { taskType }), ...(title != null && { title }) };
}
