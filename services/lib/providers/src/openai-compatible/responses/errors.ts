import type { Upstream } from "@uag/catalog/types";
import { type Fields, fieldsOf, isFields, textOf } from "../../conversation/fields.ts";
import { UpstreamFailure } from "../../failure.ts";
import { errorInside } from "../errors.ts";
import type { OpenAiVariant } from "../variant.ts";

/** Codes of a failed response that are about its images (OpenAI's reference, the response object). */
const aboutImages = /image/;

/** The failure that a response object, or an event, reports; undefined when it reports none. */
export function failureIn(value: Fields, upstream: Upstream, variant: OpenAiVariant): UpstreamFailure | undefined {
  const { error, status } = value;
  const isImage = isFields(error) && aboutImages.test(textOf(error["code"]) ?? "");
  const shown = isImage ? { ...fieldsOf(error), type: "invalid_request_error" } : error;
  const reported = errorInside({ ...value, error: shown }, upstream, variant);
  if (reported !== undefined || status !== "failed") return reported;
  return new UpstreamFailure("transient", `${upstream.provider.name} sent a failed response`, { status: 200 });
}
