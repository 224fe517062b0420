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
import { fieldsOf } from "@uag/providers/conversation/fields";
import { responsesServerTools } from "@uag/providers/formats/responses/tools";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { checkRefusedFields, hasCostlyField } from "@uag/providers/passed-fields/check";
import { hasUnknownItem } from "@uag/providers/passed-fields/parts";
import { responsesFieldCosts } from "@uag/providers/passed-fields/responses";
import { takesSampling } from "@uag/providers/reasoning";
import { addFault, parseToFault } from "@uag/untrusted/first-fault";
import { checked } from "@uag/untrusted/schema-fault";
import { z } from "zod";
import type { GenerationRequest } from "../format.ts";
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

const schema = reasoningResponseWith(textOr(itemsOf(item), "items")).extend(responseSamplingFields);
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
export function readResponsesRequest(json: JsonBody, model: Model): GenerationRequest {
  const takes = takesSampling(model.reasoning, fieldsOf(json.fields["reasoning"])["effort"]);
  const fields = without(
    json.fields,
    samplingNames.filter((name) => !takes(name)),
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
    hasUnclassedField: isPassed && (hasCostlyField(fields, responsesFieldCosts, model) || hasUnknownItem(fields)),
  };
}

/** The bytes of the request without what the provider rejects: nulls, and fields without effect. */
function accepted({ body, sent }: JsonBody, fields: Fields): Buffer {
  const edits = new Map<string, string | undefined>();
  for (const [name, value] of Object.entries(sent)) {
    const kept = fields[name];
    if (kept !== value) edits.set(name, kept === undefined ? undefined : JSON.stringify(kept));
  }
  return edits.size === 0 ? body : editMembers(body, topLevelMembers(body), edits);
}
