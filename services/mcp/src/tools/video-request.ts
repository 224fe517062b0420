import { videoRequests, videoResolutions } from "@uag/contract/requests/videos";
import { z } from "zod";
import type { Model } from "../gateway/models.ts";
import { modelField, optionalField, present } from "./schemas.ts";

const { wan, grok } = videoRequests;
const { prompt, negative_prompt, audio_url } = wan.shape.input.shape;
const { seed } = wan.shape.parameters.unwrap().unwrap().shape;

const url = z.string().min(1);

export const videoInput = z.object({
  model: modelField(wan.shape.model),
  prompt: prompt.unwrap(),
  duration: grok.shape.duration.describe("Seconds, 5 by default. Billed."),
  resolution: z.enum(videoResolutions).optional().describe("720p by default. Billed."),
  aspect_ratio: optionalField(wan.shape.aspect_ratio).describe("Such as 16:9, the default."),
  first_frame_url: url.optional().describe("The first frame, for image-to-video models (i2v)."),
  reference_urls: z.array(url).min(1).max(9).optional().describe("Reference images or videos (r2v)."),
  audio_url: audio_url.describe("Reference audio, if the model accepts it."),
  negative_prompt,
  seed: seed.describe("Seed for reproducible results."),
  webhook_url: optionalField(wan.shape.webhook_url).describe("https URL that is called when the task ends."),
});

export type VideoInput = z.infer<typeof videoInput>;

/** The body of `POST /v1/videos/generations`: each family of models has its own field names. */
export function videoRequest(args: VideoInput, owner: Model["owned_by"] | undefined): object {
  if (owner === "xai") return grokRequest(args);
  if (owner === "bytedance") return seedanceRequest(args);
  return betaRequest(args);
}

const common = ({ model, duration = 5, resolution = "720p", webhook_url }: VideoInput): object =>
  present({ model, duration, resolution, webhook_url });

function grokRequest(args: VideoInput): object {
  const { prompt, aspect_ratio, first_frame_url, reference_urls } = args;
  return {
    ...common(args),
    ...present({ prompt, aspect_ratio, image: first_frame_url, reference_images: reference_urls }),
  };
}

function seedanceRequest(args: VideoInput): object {
  const { prompt, aspect_ratio, first_frame_url, reference_urls = [], seed } = args;
  const picture = (url: string, role: string) => ({ type: "image_url", image_url: { url }, role });
  const content = [
    { type: "text", text: prompt },
    ...(first_frame_url === undefined ? [] : [picture(first_frame_url, "first_frame")]),
    ...reference_urls.map((url) => picture(url, "reference_image")),
  ];
  return { ...common(args), content, ...present({ aspect_ratio, seed }) };
}

const isVideo = /\.(?:mp4|mov|webm)(?:\?|$)/i;

/** Up to 2.6 each input has a field of its own; from 2.7 on they are a list. */
function betaRequest(args: VideoInput): object {
  const {
    model,
    prompt,
    negative_prompt,
    audio_url,
    first_frame_url,
    reference_urls,
    seed,
    aspect_ratio = "16:9",
  } = args;
  const text = present({ prompt, negative_prompt });
  const fields = present({ audio_url, img_url: first_frame_url, reference_urls });
  const media = [
    ...(first_frame_url === undefined ? [] : [{ type: "first_frame", url: first_frame_url }]),
    ...(reference_urls ?? []).map((url) => ({ type: isVideo.test(url) ? "reference_video" : "reference_image", url })),
    ...(audio_url === undefined ? [] : [{ type: "driving_audio", url: audio_url }]),
  ];
  const old = /2\.[56]-/.test(model);
  const input = { ...text, ...(old ? fields : present({ media: media.length === 0 ? undefined : media })) };
  return { ...common(args), aspect_ratio, input, ...(seed !== undefined && { parameters: { seed } }) };
}
