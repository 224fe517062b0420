import { hashOf } from "../content/hash.ts";
import { steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply } from "../http/types.ts";
import { captionOf } from "../media/letters.ts";
import { mediaUrl, traitsOf } from "../media/url.ts";
import type { Usage } from "../usage.ts";
import { type ImageJob, imageJob } from "./image-checks.ts";
import type { QwenImageModel } from "./image-models.ts";
import { imageSchema } from "./image-schema.ts";
import { invalidParameter, rejectNative, requestIdFields } from "./protocol.ts";
import { nativeWording } from "./wording.ts";

// From this many pixels on, an image of the third generation counts as large.
const largeKind = 1536 * 1536;

function qwenImageUsage({ width, height, references }: ImageJob, made: number, model: QwenImageModel): Usage {
  if (!model.outputUsage) return { height, image_count: made, width };
  return {
    output_width: width,
    output_height: height,
    output_image_type: width * height >= largeKind ? "qima_output_2k" : "qima_output_1k",
    ...(references > 0 && { input_image_type: "qima_input" }),
  };
}

function choiceOf(image: string): object {
  return { finish_reason: "stop", message: { role: "assistant", content: [{ image }] } };
}

/** An image model's response at the multimodal generation endpoint. */
export function qwenImages(call: Call, model: QwenImageModel): Reply {
  if (call.headers["x-dashscope-async"] !== undefined) {
    const message = "Current user api does not support asynchronous calls.";
    throw rejectNative({ status: 403, code: "AccessDenied", message });
  }
  const parsed = imageSchema.safeParse(call.body);
  if (!parsed.success) throw invalidParameter(nativeWording(parsed.error, call.body));
  const job = imageJob(parsed.data, model);
  if (steeringOf(job.text).blocked) {
    throw invalidParameter("Input data may contain inappropriate content.", "DataInspectionFailed");
  }
  if (call.faults.moderation !== undefined) {
    throw invalidParameter("Output data may contain inappropriate content.", "DataInspectionFailed");
  }
  const { width, height, count } = job;
  const made = Math.max(0, count - (call.faults["image-fail"] ?? 0));
  if (made === 0) throw rejectNative({ status: 500, code: "InternalError.Algo", message: "Inference internal error." });
  const urls = Array.from({ length: made }, (_, index) => {
    const digest = hashOf(call.digest, String(index));
    return mediaUrl(
      { kind: "image", digest, caption: captionOf(job.text), width, height, format: "png" },
      traitsOf(call),
    );
  });
  const trueUsage = qwenImageUsage(job, made, model);
  const usage = reportedUsage(trueUsage, call.faults);
  const metric = count > 1 ? { task_metric: { TOTAL: count, SUCCEEDED: made, FAILED: count - made } } : {};
  const output = { choices: urls.map(choiceOf), ...metric };
  const units = { images: made, width, height };
  const body = { output, ...(usage !== undefined && { usage }) };
  return { type: "json", status: 200, body, usage, trueUsage, units, requestIdFields };
}
