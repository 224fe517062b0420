import { countOf, fieldsOf, listOf, textOf } from "@uag/upstreams/conversation/fields.ts";
import { pixelsOf } from "@uag/upstreams/images/sizes.ts";
import type { ImageFormat, Made } from "../order.ts";
import { flatTrouble } from "./flat-error.ts";

/** DashScope's own result: `request_id`, `output.choices`, `usage`. */
export const alphaFormat: ImageFormat = {
  body: (made) => Buffer.from(JSON.stringify(resultOf(made))),
  errorBody: flatTrouble,
};

function resultOf({ requestId, order, answers, images }: Made): object {
  const fields = answers[0]?.fields ?? {};
  const usage = fieldsOf(fields["usage"]);
  const asked = pixelsOf(order.request.size ?? "");
  // Newer models name the picture's sides otherwise.
  const height = countOf(usage["height"]) ?? countOf(usage["output_height"]) ?? asked?.height ?? 0;
  const width = countOf(usage["width"]) ?? countOf(usage["output_width"]) ?? asked?.width ?? 0;
  return {
    request_id: textOf(fields["request_id"]) ?? requestId,
    output: { choices: listOf(fieldsOf(fields["output"])["choices"]) },
    usage: { image_count: countOf(usage["image_count"]) ?? images.length, height, width },
  };
}
