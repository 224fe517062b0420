import { nestedErrors } from "@uag/pipeline/nested-error";
import type { ImageItem } from "@uag/providers/images/types";
import { encodeJson } from "@uag/untrusted/json/encode";
import type { ImageFormat, ImageResult } from "../job.ts";
import { effectiveOf } from "./effective.ts";
import { shownUsage } from "./usage.ts";

/**
 * OpenAI's result: `created`, `data`, for some models the effective settings, and the tokens used.
 */
export const openAiFormat: ImageFormat = {
  body: async (result) => untouched(result) ?? (await encodeJson(resultOf(result))),
  ...nestedErrors,
};

const fullMembers = ["created", "data", "background", "output_format", "quality", "size", "usage"] as const;

/**
 * Passes the upstream's bytes through when they are complete: images are megabytes, and copying
 * them as text is expensive.
 */
function untouched({ job, responses, images }: ImageResult): Buffer | undefined {
  const [response, second] = responses;
  if (response === undefined || second !== undefined || job.model.image?.family !== "gamma") return undefined;
  const complete = fullMembers.every((name) => response.fields[name] != null);
  return complete && images === response.images ? response.body : undefined;
}

function resultOf(result: ImageResult): object {
  const { responses, images, createdMs } = result;
  const faults = responses.flatMap((response) => response.faults);
  const data = [
    ...images.map(itemOf),
    ...faults.map(({ message, code }) => ({ error: { code: code ?? "image_failed", message } })),
  ];
  const usage = shownUsage(result);
  return {
    created: Math.floor(createdMs / 1000),
    data,
    ...effectiveOf(result),
    ...(usage !== undefined && { usage }),
  };
}

function itemOf(image: ImageItem): object {
  return {
    ...(image.kind === "url" ? { url: image.url } : { b64_json: image.base64 }),
    ...(image.revisedPrompt !== undefined && { revised_prompt: image.revisedPrompt }),
    ...(image.size !== undefined && { size: image.size }),
  };
}
