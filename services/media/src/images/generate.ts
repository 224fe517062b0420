import { callerOf } from "@uag/capability/caller.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import type { Operation } from "@uag/capability/operation/operation.ts";
import { type Fields, readJsonBody, readJsonObject } from "@uag/capability/request/body.ts";
import { findModel } from "@uag/capability/request/find-model.ts";
import { mayUse } from "@uag/catalog/access.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { MediaContext } from "../context.ts";
import { alphaFormat } from "./answers/alpha.ts";
import { openAiFormat } from "./answers/openai.ts";
import { readers } from "./families/read.ts";
import type { ImageFormat, ImageOrder } from "./order.ts";
import { serveOrder } from "./serve.ts";

const operation = "images.generations";
/** `POST /v1/images/generations`: the body's shape, and the answer's, depend on the model. */
export function generateImages(context: MediaContext): LinkHandler {
  return async (exchange) => {
    let format: ImageFormat = openAiFormat;
    const caller = callerOf(exchange.context);
    using lease = context.buffers.open(caller.accountId);
    try {
      const { fields } = await readJsonBody(exchange, lease);
      if (isAlphaShaped(fields, caller, context)) format = alphaFormat;
      await serveOrder(exchange, readOrder({ fields, format, caller }, context), context);
    } catch (thrown) {
      const { events } = context;
      respondError(exchange, clientErrorOf(thrown, exchange.requestId), { events, format, headers: [] });
    }
  };
}

/** The format of errors that arise before {@link generateImages} is asked. */
export function generationErrors(context: MediaContext): Operation["errorFormat"] {
  return (body, caller) => {
    try {
      return body !== undefined && isAlphaShaped(readJsonObject(body).fields, caller, context)
        ? alphaFormat
        : openAiFormat;
    } catch {
      // A body that cannot be read is of no model.
      return openAiFormat;
    }
  };
}

/** Whether the client speaks DashScope's format: by its model, or, where it may use none of that name, by its body. */
function isAlphaShaped(fields: Fields, { models: allowed }: Caller, { catalog }: MediaContext): boolean {
  const { model: id, input, prompt } = fields;
  const usable = typeof id === "string" && mayUse(allowed, id);
  const known = usable ? catalog.current.models.get(id)?.image?.family : undefined;
  if (known !== undefined) return known === "alpha";
  if (typeof id === "string" && id.startsWith("alpha-image")) return true;
  return typeof input === "object" && input !== null && prompt === undefined;
}

function readOrder(
  { fields, format, caller }: { fields: Fields; format: ImageFormat; caller: Caller },
  context: MediaContext,
): ImageOrder {
  const { model: id } = fields;
  if (typeof id !== "string" || id === "") {
    throw new GatewayError("invalid_request", "model: is required.", { param: "model" });
  }
  const model = findModel(context.catalog.current, id, caller, operation);
  if (model.image === undefined) throw new GatewayError("endpoint_model_mismatch", undefined, { param: "model" });
  const request = readers[model.image.family]({ fields, model, guarded: context.guarded });
  return { operation, model, caller, request, format };
}
