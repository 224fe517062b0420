import { mayUseModel, modelNamed } from "@uag/catalog/names";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { Fields } from "@uag/pipeline/request/body";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import type { MediaContext } from "../context.ts";
import { readers } from "./families/read.ts";
import type { ImageFormat } from "./job.ts";
import { imageOperation, imageTraits, jobFor, namedModel } from "./operation.ts";
import { alphaFormat } from "./responses/alpha.ts";
import { openAiFormat } from "./responses/openai.ts";

/** `POST /v1/images/generations`: the formats of body and response depend on the model. */
export function createImages(context: MediaContext): Operation {
  const formatOf = (fields: Fields, caller: Caller): ImageFormat =>
    isAlphaShaped(fields, caller, context) ? alphaFormat : openAiFormat;
  return imageOperation(context, {
    name: "images.generations",
    body: jsonBody(),
    modelOf: ({ fields }) => namedModel(fields["model"]),
    fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts["images.generations"] }),
    read({ fields }, model, { caller }) {
      const request = readers[imageTraits(model).family]({ fields, model, guarded: context.guarded });
      return jobFor(model, { operation: "images.generations", request, format: formatOf(fields, caller) });
    },
    errorFormat: ({ fields }, caller) => formatOf(fields, caller),
  });
}

/**
 * Whether the client uses DashScope's format: decided by its model or, if its key may not use such
 * a model, by the body.
 */
function isAlphaShaped(fields: Fields, caller: Caller, { catalog }: MediaContext): boolean {
  const { model: id, input, prompt } = fields;
  const model = typeof id === "string" ? modelNamed(catalog.current, id) : undefined;
  const known = model !== undefined && mayUseModel(caller, model) ? model.image?.family : undefined;
  if (known !== undefined) return known === "alpha";
  if (typeof id === "string" && id.startsWith("alpha-image")) return true;
  return typeof input === "object" && input !== null && prompt === undefined;
}
