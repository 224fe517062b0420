import { callerOf } from "@uag/capability/caller.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { findModel } from "@uag/capability/request/find-model.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { MediaContext } from "../../context.ts";
import { openAiFormat } from "../answers/openai.ts";
import type { ImageOrder } from "../order.ts";
import { serveOrder } from "../serve.ts";
import { readFields } from "./fields.ts";
import { type Form, readForm } from "./form.ts";
import { readPictures } from "./pictures.ts";

const operation = "images.edits";
/** The most that any model takes: sixteen images of 50 MB, and a mask. */
const formLimits = { maxFiles: 17, maxFileBytes: 50 * 1024 * 1024 };

/** `POST /v1/images/edits`: a form with pictures, a prompt, and what to make of them. */
export function editImages(context: MediaContext): LinkHandler {
  return async (exchange) => {
    const caller = callerOf(exchange.context);
    using lease = context.buffers.open(caller.accountId);
    try {
      const type = exchange.header("content-type");
      const length = Number(exchange.header("content-length") ?? 0);
      const form = await readForm(exchange.body(), type, { limits: formLimits, length, lease });
      await serveOrder(exchange, readOrder(form, caller, context), context);
    } catch (thrown) {
      const { events } = context;
      const clientError = clientErrorOf(thrown, exchange.requestId);
      respondError(exchange, clientError, { events, format: openAiFormat, headers: [] });
    }
  };
}

function readOrder(form: Form, caller: Caller, context: MediaContext): ImageOrder {
  const id = form.fields.get("model");
  if (id === undefined || id === "")
    throw new GatewayError("invalid_request", "model: is required.", { param: "model" });
  const model = findModel(context.catalog.current, id, caller, operation);
  if (model.image === undefined) throw new GatewayError("endpoint_model_mismatch", undefined, { param: "model" });
  const fields = readFields(form.fields, model);
  const { images, mask } = readPictures(form, model);
  return { operation, model, caller, request: { ...fields, references: images, mask }, format: openAiFormat };
}
