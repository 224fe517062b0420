import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { defineOperation } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import type { RequestSpec } from "@uag/pipeline/operation/request-spec";
import type { JsonBody } from "@uag/pipeline/request/body";
import type { Form } from "@uag/pipeline/request/form";
import type { ImageRequest } from "@uag/providers/images/types";
import { adapterFor } from "@uag/providers/registry";
import type { MediaContext } from "../context.ts";
import type { ImageJob } from "./job.ts";
import { jsonResponse, type MadeImages, makeAll } from "./json-response.ts";
import { prepared } from "./prepare.ts";
import { abandonedUnits, hasBoundedInput, imageRequestSize } from "./pricing.ts";
import { openStream, type StreamedImages, streamResponse } from "./stream-response.ts";

/** Defines an operation that generates images, whatever its body format. */
export function imageOperation<B extends JsonBody | Form>(
  context: MediaContext,
  spec: RequestSpec<B, ImageJob> & { readonly name: ImageJob["operation"] },
): Operation {
  return defineOperation(context, {
    ...spec,
    size: ({ request }): Size => imageRequestSize(request),
    streams: ({ request }) => request.stream,
    async call(admitted: AdmittedRequest<ImageJob, Size>): Promise<MadeImages | StreamedImages> {
      using urls = context.urls.open(admitted.caller);
      // Fetching and decoding are expensive, so they wait for admission.
      const job = await prepared(admitted.request, { urls, signal: admitted.exchange.signal });
      return await (job.request.stream ? openStream : makeAll)(context, admitted, job);
    },
    async owed({ request: job }) {
      const units = await abandonedUnits(job, job.request.count);
      return { units, estimated: true, isUpperBound: hasBoundedInput(job) };
    },
    respond: (admitted, response) =>
      response.kind === "stream" ? streamResponse(admitted, response) : jsonResponse(response),
    discard: (response) => {
      if (response.kind === "stream") response.attempted.value.live.cancel();
    },
  });
}

/**
 * Creates a job for a model, with the model's default size.
 * @throws {GatewayError} `endpoint_model_mismatch` for a model that generates no images
 */
export function jobFor(
  model: Model,
  { request, ...rest }: Pick<ImageJob, "operation" | "format"> & { request: ImageRequest },
): ImageJob {
  const [upstream] = model.upstreams;
  const adapter = upstream && adapterFor("images", upstream.provider.protocol);
  if (adapter === undefined) throw new Error(`${model.id} has no upstream that generates images`);
  const size = request.size ?? model.image?.defaultSize;
  return { ...rest, model, adapter, request: { ...request, size } };
}

/** @throws {GatewayError} `invalid_request` when a body names no model */
export function namedModel(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw new GatewayError("invalid_request", "model: is required.", { param: "model" });
}

/** @throws {GatewayError} `endpoint_model_mismatch` for a model that generates no images */
export function imageTraits({ image }: Model): NonNullable<Model["image"]> {
  if (image === undefined) throw new GatewayError("endpoint_model_mismatch", undefined, { param: "model" });
  return image;
}
