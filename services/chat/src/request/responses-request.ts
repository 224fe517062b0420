import type { Fields, JsonBody } from "@uag/capability/request/body.ts";
import type { Model } from "@uag/catalog/types.ts";
import {
  inputItemsWith,
  itemsOf,
  partsOf,
  reasoningResponseWith,
  responseParts,
  responseRequest,
  responseSamplingFields,
} from "@uag/contract/requests/responses.ts";
import { addFault, parseToFault } from "@uag/kit/first-fault.ts";
import { checked } from "@uag/kit/schema-fault.ts";
import { responsesServerTools } from "@uag/upstreams/formats/responses/tools.ts";
import { z } from "zod";
import type { GenerationRequest } from "../format.ts";
import { byType } from "./by-type.ts";
import { imageUrl } from "./parts.ts";

const modelSchema = responseRequest.pick({ model: true });

/** Parts whose texts are looked into. */
const checkedParts = {
  ...responseParts,
  input_image: responseParts.input_image.extend({ image_url: imageUrl }),
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

const reasoningSchema = reasoningResponseWith(textOr(itemsOf(item), "items"));
const schema = reasoningSchema.extend(responseSamplingFields);

/** @throws {GatewayError} `invalid_request` when a body names no model */
export function modelOf(fields: Fields): string {
  return checked(modelSchema, fields).model;
}

/**
 * Checks a request of the Responses format. For a reasoning model the sampling fields are neither
 * checked nor passed on: they have no effect there, and upstreams refuse them.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readResponsesRequest({ body, fields }: JsonBody, model: Model): GenerationRequest {
  const reasons = model.reasoning !== undefined;
  const { stream, max_output_tokens } = checked(reasons ? reasoningSchema : schema, fields);
  return {
    body,
    fields: reasons ? withoutSampling(fields) : fields,
    stream: stream === true,
    usageWanted: true,
    candidates: 1,
    outputCap: max_output_tokens ?? undefined,
    serverTools: responsesServerTools(fields),
  };
}

function withoutSampling(fields: Fields): Fields {
  const copy: Record<string, unknown> = { ...fields };
  for (const name of Object.keys(responseSamplingFields)) delete copy[name];
  return copy;
}
