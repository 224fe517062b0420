import { hashOf } from "../content/hash.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { padded } from "../media/file.ts";
import { imageFile } from "../media/image.ts";
import { captionOf } from "../media/letters.ts";
import { type MediaSpec, mediaUrl, traitsOf } from "../media/url.ts";
import type { Usage } from "../usage.ts";
import type { ImageModel } from "./image-models.ts";
import type { ImageRequest } from "./image-schema.ts";
import { imageUsage } from "./image-usage.ts";

export interface ImageJob {
  readonly call: Call;
  readonly request: ImageRequest;
  readonly model: ImageModel;
  /** Sizes of the images to be edited; none for a generation. */
  readonly inputs: readonly { readonly width: number; readonly height: number }[];
  /** Prefix of the names of stream events. */
  readonly eventPrefix: "image_generation" | "image_edit";
}

interface ImageOptions {
  readonly width: number;
  readonly height: number;
  readonly quality: "low" | "medium" | "high";
  readonly background: "opaque" | "transparent";
  readonly format: "png" | "jpeg" | "webp";
}

const urlLifeSeconds = 3600;

function imageOptions({ request }: ImageJob): ImageOptions {
  const { size, quality, background, output_format } = request;
  const [width = 1024, height = 1024] = size && size !== "auto" ? size.split("x").map(Number) : [];
  const known = quality === "low" || quality === "high" ? quality : "medium";
  return {
    width,
    height,
    quality: known,
    background: background === "transparent" ? "transparent" : "opaque",
    format: output_format ?? "png",
  };
}

async function encoded({ call, request }: ImageJob, look: ImageOptions, label: string): Promise<string> {
  const { width, height, format } = look;
  const digest = hashOf(call.digest, label);
  const transparent = look.background === "transparent";
  const quality = request.output_compression ?? 100;
  const bytes = await imageFile({
    digest,
    caption: captionOf(request.prompt),
    width,
    height,
    format,
    transparent,
    quality,
  });
  return padded(bytes, call.faults["image-mib"]).toString("base64");
}

async function dallE(job: ImageJob): Promise<Reply> {
  const { call, request, model } = job;
  const look = imageOptions(job);
  const { width, height } = look;
  const count = request.n ?? 1;
  const data: object[] = [];
  for (let i = 0; i < count; i++) {
    const revised = model.kind === "dall-e-3" ? { revised_prompt: request.prompt } : {};
    if (request.response_format === "b64_json") {
      data.push({ ...revised, b64_json: await encoded(job, look, String(i)) });
    } else {
      const digest = hashOf(call.digest, String(i));
      const caption = captionOf(request.prompt);
      const spec: MediaSpec = { kind: "image", digest, caption, width, height, format: "png" };
      const url = mediaUrl(spec, traitsOf(call, urlLifeSeconds));
      data.push({ ...revised, url });
    }
  }
  const units = { images: count, width, height, quality: request.quality === "hd" ? "hd" : "standard" };
  return { type: "json", status: 200, body: { created: call.created, data }, units };
}

async function eventsOf(job: ImageJob, look: ImageOptions, usage: Usage | undefined): Promise<StreamEvent[]> {
  const { call, request, eventPrefix } = job;
  const { width, height, quality, background, format } = look;
  const shared = { created_at: call.created, size: `${width}x${height}`, quality, background, output_format: format };
  const events: StreamEvent[] = [];
  for (let i = 0; i < (request.partial_images ?? 0); i++) {
    const type = `${eventPrefix}.partial_image`;
    const b64Json = await encoded(job, look, `partial ${i}`);
    events.push({ event: type, data: JSON.stringify({ type, b64_json: b64Json, partial_image_index: i, ...shared }) });
  }
  const type = `${eventPrefix}.completed`;
  const count = request.n ?? 1;
  for (let i = 0; i < count; i++) {
    const b64Json = await encoded(job, look, String(i));
    const reported = i === count - 1 && usage !== undefined ? { usage } : {};
    events.push({
      event: type,
      data: JSON.stringify({ type, b64_json: b64Json, ...shared, ...reported }),
      ...reported,
    });
  }
  return events;
}

/**
 * Makes the images of a validated request: inline files for gpt-image models, URLs valid for an
 * hour for dall-e.
 */
export async function respondImages(job: ImageJob): Promise<Reply> {
  const { call, request, model } = job;
  if (model.kind !== "gpt-image") return dallE(job);
  const look = imageOptions(job);
  const { width, height, quality, background, format } = look;
  const count = request.n ?? 1;
  const partials = request.stream ? (request.partial_images ?? 0) : 0;
  const highFidelity = request.input_fidelity === "high";
  const made = { prompt: request.prompt, inputs: job.inputs, highFidelity, width, height, quality, count, partials };
  const { usage: trueUsage, units } = imageUsage(made);
  const usage = reportedUsage(trueUsage, call.faults);
  if (request.stream)
    return { type: "events", framing: "sse", events: await eventsOf(job, look, usage), trueUsage, units };
  const data: object[] = [];
  for (let i = 0; i < count; i++) data.push({ b64_json: await encoded(job, look, String(i)) });
  const size = `${width}x${height}`;
  const shown = { background, output_format: format, quality, size };
  const body = { created: call.created, ...shown, data, ...(usage !== undefined && { usage }) };
  return { type: "json", status: 200, body, usage, trueUsage, units };
}
