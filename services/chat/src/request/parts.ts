import { addFault, parseToFault } from "@uag/kit/first-fault.ts";
import { z } from "zod";
import { imageDataUrlFault, isBase64 } from "./data-url.ts";

/** Maximum frames of a video given as images. */
const maxFrames = 2_000;

const webUrl = /^https?:\/\/[^\s/]/i;

const mediaUrl = z
  .string()
  .min(1)
  .refine((url) => webUrl.test(url) || /^data:|^oss:\/\//i.test(url), {
    error: "must be an http, https or data URL",
    abort: true,
  });

const imageUrl = z.string().superRefine((url, context) => {
  if (url.slice(0, 5).toLowerCase() === "data:") {
    const fault = imageDataUrlFault(url);
    if (fault !== undefined) context.addIssue(fault);
  } else if (!webUrl.test(url) && !/^oss:\/\//i.test(url)) {
    context.addIssue("must be an http, https or data URL");
  }
});

/** OpenAI accepts base64; DashScope also a URL of either kind. */
const audioData = z
  .string()
  .min(1)
  .refine((data) => webUrl.test(data) || /^data:/i.test(data) || isBase64(data), "must be base64 or a URL");

/** The inner object of each known content part; parts of other types are left to the upstream. */
export const partFields = {
  text: z.looseObject({ text: z.string() }),
  image_url: z.looseObject({ image_url: z.looseObject({ url: imageUrl, detail: z.string().nullish() }) }),
  video_url: z.looseObject({ video_url: z.looseObject({ url: mediaUrl }) }),
  audio_url: z.looseObject({ audio_url: z.looseObject({ url: mediaUrl }) }),
  input_audio: z.looseObject({ input_audio: z.looseObject({ data: audioData, format: z.string().nullish() }) }),
  video: z.looseObject({ video: z.array(mediaUrl).min(1).max(maxFrames) }),
  file: z.looseObject({ file: z.looseObject({}) }),
  refusal: z.looseObject({ refusal: z.string() }),
} as const satisfies Record<string, z.ZodType>;

export const contentPart = z.looseObject({ type: z.string().min(1) }).superRefine((part, context) => {
  const schema = Object.hasOwn(partFields, part.type) ? partFields[part.type as keyof typeof partFields] : undefined;
  if (schema !== undefined) addFault(context, parseToFault(schema, part));
});
