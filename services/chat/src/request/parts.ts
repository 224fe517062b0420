import { partsWith } from "@uag/contract/requests/chat-parts";
import { z } from "zod";
import { byType } from "./by-type.ts";
import { imageDataUrlFault, isBase64 } from "./data-url.ts";

const webUrl = /^https?:\/\/[^\s/]/i;

const mediaUrl = z
  .string()
  .min(1)
  .refine((url) => webUrl.test(url) || /^data:|^oss:\/\//i.test(url), {
    error: "must be an http, https or data URL",
    abort: true,
  });

/** An image as a URL or a data URL. */
export const imageUrl = z.string().superRefine((url, context) => {
  if (url.slice(0, 5).toLowerCase() === "data:") {
    const fault = imageDataUrlFault(url);
    if (fault !== undefined) context.addIssue(fault);
  } else if (!webUrl.test(url) && !/^oss:\/\//i.test(url)) {
    context.addIssue("must be an http, https or data URL");
  }
});

/** OpenAI accepts base64; DashScope also a URL of either kind. */
export const audioData = z
  .string()
  .min(1)
  .refine((data) => webUrl.test(data) || /^data:/i.test(data) || isBase64(data), "must be base64 or a URL");

const partFields = partsWith({ image: imageUrl, media: mediaUrl, audio: audioData });

export const contentPart = z.looseObject({ type: z.string().min(1) }).superRefine(byType(partFields));
