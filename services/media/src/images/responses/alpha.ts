import { countOf, type Fields, fieldsOf, listOf, textOf } from "@uag/providers/conversation/fields";
import { type Pixels, pixelsOf } from "@uag/providers/images/sizes";
import type { ImageItem } from "@uag/providers/images/types";
import { requestUuid } from "@uag/runtime/ids";
import { encodeJson } from "@uag/untrusted/json/encode";
import type { ImageFormat, ImageResult } from "../job.ts";
import { flatErrorBody } from "./flat-error.ts";

/** DashScope's own result format: `request_id`, `output.choices`, `usage`. */
export const alphaFormat: ImageFormat = {
  body: (result) => encodeJson(resultOf(result)),
  errorBody: flatErrorBody,
};

function resultOf({ requestId, job, responses, images }: ImageResult): object {
  const fields = responses[0]?.fields ?? {};
  const requested = pixelsOf(job.request.size ?? "") ?? sizeInUsage(fields);
  const { output, usage, request_id: id } = fields;
  return {
    request_id: textOf(id) ?? requestUuid(requestId),
    output: { choices: withUrls(listOf(fieldsOf(output)["choices"]), images) },
    usage: {
      image_count: countOf(fieldsOf(usage)["image_count"]) ?? images.length,
      height: requested?.height ?? 0,
      width: requested?.width ?? 0,
    },
  };
}

/**
 * The size the provider reports; undefined if it reports none. Newer models use other names for the
 * sides.
 */
export function sizeInUsage(fields: Fields): Pixels | undefined {
  const usage = fieldsOf(fields["usage"]);
  const height = countOf(usage["height"]) ?? countOf(usage["output_height"]);
  const width = countOf(usage["width"]) ?? countOf(usage["output_width"]);
  return height === undefined || width === undefined ? undefined : { width, height };
}

/** The provider's choices, with each image at the URL where the client finds it. */
function withUrls(choices: readonly unknown[], images: readonly ImageItem[]): Fields[] {
  const urls = images.flatMap((image) => (image.kind === "url" ? [image.url] : [])).values();
  return choices.map((choice) => {
    const fields = fieldsOf(choice);
    const message = fieldsOf(fields["message"]);
    const content = listOf(message["content"]).map((part) =>
      textOf(fieldsOf(part)["image"]) === undefined ? part : { ...fieldsOf(part), image: urls.next().value },
    );
    return { ...fields, message: { ...message, content } };
  });
}
