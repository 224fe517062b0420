import type { Model } from "@uag/catalog/types";
import {
  inputItemsWith,
  itemsOf,
  partsOf,
  reasoningResponseWith,
  responseParts,
  responseRequest,
  responseSamplingFields,
} from "@uag/contract/requests/responses";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import { fieldsOf, listOf } from "@uag/providers/conversation/fields";
import { responsesServerTools } from "@uag/providers/formats/responses/tools";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { checkRefusedFields, hasCostlyField } from "@uag/providers/passed-fields/check";
import { hasUnknownItem } from "@uag/providers/passed-fields/parts";
import { responsesFieldCosts } from "@uag/providers/passed-fields/responses";
import { takesSampling } from "@uag/providers/reasoning";
import { addFault, parseToFault } from "@uag/untrusted/first-fault";
import { checked } from "@uag/untrusted/schema-fault";
import { z } from "zod";
import type { GenerationBody, GenerationRequest } from "../format.ts";
import { byType } from "./by-type.ts";
import { audioData, imageUrl } from "./parts.ts";
import { without } from "./without.ts";

const modelSchema = responseRequest.pick({ model: true });

/** Parts whose texts are inspected. */
const checkedParts = {
  ...responseParts,
  input_image: responseParts.input_image.extend({ image_url: imageUrl }),
  input_audio: responseParts.input_audio.extend({
    input_audio: responseParts.input_audio.shape.input_audio.extend({ data: audioData }),
  }),
} as const;

const part = z.looseObject({ type: z.string().min(1) }).superRefine(byType(checkedParts));

/**
 * A text, or a list. Read by hand: it may be long, and one fault of it is enough. A union would not
 * name the field at fault.
 */
const textOr = (list: z.ZodType, name: string) => {
  const text = z.string({ error: `must be text or a list of ${name}` });
  return z.unknown().superRefine((value, context) => {
    addFault(context, parseToFault(Array.isArray(value) ? list : text, value));
  });
};

const items = inputItemsWith(textOr(partsOf(part), "content parts"));

/** The type decides which fields are checked; a type not known here is refused when it is read. */
const item = z.looseObject({ type: z.string().nullish() }).superRefine(byType(items, "message"));

/** Replaced by the conversation before this, where responses are stored. */
const notStored =
  "is not available: this account does not store responses. Ask its administrator to turn on store_responses, or send the whole conversation as input";

const notInBackground =
  "is not available: this account does not store responses. Ask its administrator to turn on store_responses, or wait for the response";

const schema = reasoningResponseWith(textOr(itemsOf(item), "items")).extend({
  ...responseSamplingFields,
  previous_response_id: z.null({ error: notStored }).optional(),
  background: z.literal(false, { error: notInBackground }).nullish(),
});
const samplingNames = Object.keys(responseSamplingFields);

/** @throws {GatewayError} `invalid_request` when a body names no model */
export function modelOf(fields: Fields): string {
  return checked(modelSchema, fields).model;
}

/**
 * Checks a request of the Responses format. Sampling fields that a reasoning model does not support
 * are neither checked nor passed on.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readResponsesRequest(json: GenerationBody, model: Model): GenerationRequest {
  const takes = takesSampling(model.reasoning, fieldsOf(json.fields["reasoning"])["effort"]);
  const { turn, background } = json;
  const fields = withReasoning(
    without(
      json.fields,
      samplingNames.filter((name) => !takes(name)),
    ),
    turn !== undefined && model.reasoning !== undefined,
  );
  const { stream, max_output_tokens } = checked(schema, fields);
  checkRefusedFields(fields, responsesFieldCosts);
  // Other upstreams get what the gateway translates, and nothing else.
  const isPassed = model.upstreams.some(({ responsesApi }) => responsesApi === true);
  return {
    body: isPassed ? accepted(json, fields) : json.body,
    fields,
    stream: stream === true,
    usageWanted: true,
    candidates: 1,
    outputCap: max_output_tokens ?? undefined,
    serverTools: responsesServerTools(fields, model),
    turn,
    background,
    hasUnclassedField: isPassed && (hasCostlyField(fields, responsesFieldCosts, model) || hasUnknownItem(fields)),
  };
}

const sealedReasoning = "reasoning.encrypted_content";

/** A stored response is continued with the model's reasoning, which its provider does not store. */
function withReasoning(fields: Fields, isStored: boolean): Fields {
  const included = listOf(fields["include"]);
  if (!isStored || included.includes(sealedReasoning)) return fields;
  return { ...fields, include: [...included, sealedReasoning] };
}

/**
 * The bytes of the request without what the provider rejects, nulls and fields without effect, and
 * with what the gateway adds.
 */
function accepted({ body, sent }: JsonBody, fields: Fields): Buffer {
  const edits = new Map<string, string | undefined>();
  for (const name of new Set([...Object.keys(sent), ...Object.keys(fields)])) {
    const kept = fields[name];
    if (kept !== sent[name]) edits.set(name, kept === undefined ? undefined : JSON.stringify(kept));
  }
  return edits.size === 0 ? body : editMembers(body, topLevelMembers(body), edits);
}
