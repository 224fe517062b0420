import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { moderationRequest } from "@uag/contract/requests/moderations";
import type { CapabilityContext } from "@uag/pipeline/context";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineFree } from "@uag/pipeline/operation/define-free";
import type { OperationContext } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { JsonBody } from "@uag/pipeline/request/body";
import { checkOutside } from "@uag/pipeline/request/urls";
import { callJson } from "@uag/providers/call-json";
import { type FieldTable, free } from "@uag/providers/passed-fields/cost-class";
import { checked } from "@uag/untrusted/schema-fault";

/** Dependencies of moderation. */
export type ModerationContext = OperationContext & Pick<CapabilityContext, "guarded" | "pools">;

interface ModerationRequest {
  /** The body without null members. */
  readonly body: Buffer;
  /** Number of results that it gets. */
  readonly results: number;
}

const source = free("https://platform.openai.com/docs/api-reference/moderations/create");
const known: FieldTable = { input: source, model: source };

const envelopeBytes = 64 * 1024;
/** A result has about 2 KiB. */
const maxResultBytes = 8 * 1024;

/** `POST /v1/moderations`: free. Providers fetch images themselves. */
export function moderate(context: ModerationContext): Operation {
  const { guarded, pools } = context;
  return defineFree(context, {
    name: "moderations",
    body: jsonBody(),
    modelOf: ({ fields }) => checked(moderationRequest.pick({ model: true }), fields).model,
    fieldsOf: ({ fields }) => ({ sent: fields, known }),
    read: (json, model) => read(json, model, guarded),
    call: ({ exchange, request, model, attempt, memory }) =>
      attempt((upstream) => {
        const { requestId, signal } = exchange;
        const call = { ...request, requestId, model: model.id };
        const maxBytes = envelopeBytes + request.results * maxResultBytes;
        return callJson("moderations", { pools, call, upstream, signal, memory, maxBytes });
      }),
  });
}

/** @throws {GatewayError} `invalid_request`, naming the field */
function read(
  { body, fields, sent }: JsonBody,
  model: Model,
  guarded: ModerationContext["guarded"],
): ModerationRequest {
  const { input } = checked(moderationRequest, fields);
  const items = typeof input === "string" ? [input] : input;
  for (const [index, item] of items.entries()) {
    if (typeof item === "string" || item.type === "text") continue;
    if (!model.input.has("image")) throw textOnly(model, `input[${index}]`);
    checkOutside(item.image_url.url, `input[${index}].image_url.url`, guarded);
  }
  const isList = items.every((item) => typeof item === "string");
  return { body: fields === sent ? body : Buffer.from(JSON.stringify(fields)), results: isList ? items.length : 1 };
}

function textOnly({ id }: Model, param: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: The model '${id}' does not accept images.`, { param });
}
