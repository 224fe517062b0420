import { z } from "zod";
import { hashOf } from "../content/hash.ts";
import { steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply } from "../http/types.ts";
import { mediaFile } from "../media/file.ts";
import { captionOf } from "../media/letters.ts";
import { type MediaSpec, mediaUrl, traitsOf } from "../media/url.ts";
import { checkImage } from "./image-input.ts";
import { type GrokImageModel, grokImageModel, grokImageSize, imageRatios } from "./image-models.ts";
import { rejectXai } from "./protocol.ts";
import { xaiIssue } from "./wording.ts";

const common = {
  model: z.string(),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).optional(),
  response_format: z.enum(["url", "b64_json"]).optional(),
  aspect_ratio: z.enum([...imageRatios, "auto"]).optional(),
  resolution: z.enum(["1k", "1.5k", "2k"]).optional(),
  quality: z.string().optional(),
  user: z.string().optional(),
  storage_options: z.unknown().optional(),
};
const reference = z.looseObject({
  url: z.string().optional(),
  file_id: z.string().optional(),
  type: z.literal("image_url").optional(),
});
const generation = z.looseObject(common);
const edit = z.looseObject({
  ...common,
  image: reference.optional(),
  images: z.array(reference).min(1).max(5).optional(),
});
type Request = z.infer<typeof edit>;

function modelOf(call: Call): GrokImageModel {
  const model = grokImageModel(call.model ?? "");
  if (model !== undefined) return model;
  throw rejectXai(404, `The model ${call.model} does not exist or your team does not have access to it.`);
}

function check(request: Request, model: GrokImageModel): void {
  if ("size" in request) throw rejectXai(400, "Argument not supported: size");
  const { resolution = "1k", quality } = request;
  if (!model.resolutions.includes(resolution)) {
    throw rejectXai(400, `Resolution ${resolution} is not supported by ${model.id}.`);
  }
  if (!model.heedsQuality || quality === undefined) return;
  if (quality === "high") throw rejectXai(400, `Quality high is not supported by ${model.id}.`);
  if (!["low", "medium", "auto"].includes(quality)) {
    throw rejectXai(422, `Failed to deserialize the JSON body into the target type: unknown variant \`${quality}\``);
  }
}

async function imageOf(call: Call, request: Request, index: number): Promise<object> {
  if (call.faults.moderation !== undefined) return { url: "", b64_json: "", respect_moderation: false };
  const [width, height] = grokImageSize(request.aspect_ratio ?? "auto", request.resolution ?? "1k");
  const digest = hashOf(call.digest, String(index));
  const spec: MediaSpec = { kind: "image", digest, caption: captionOf(request.prompt), width, height, format: "jpeg" };
  const revised = { revised_prompt: request.prompt, respect_moderation: true };
  if (request.response_format !== "b64_json") return { url: mediaUrl(spec, traitsOf(call)), ...revised };
  const { bytes } = await mediaFile(spec, call.faults["image-mib"]);
  return { b64_json: bytes.toString("base64"), ...revised };
}

async function respond(call: Call, request: Request, inputs: number): Promise<Reply> {
  const model = modelOf(call);
  check(request, model);
  if (steeringOf(request.prompt).blocked) throw rejectXai(400, "Content violates usage guidelines.");
  const count = request.n ?? 1;
  const data: object[] = [];
  for (let i = 0; i < count; i++) data.push(await imageOf(call, request, i));
  const trueUsage = { cost_in_usd_ticks: count * model.imageTicks + inputs * model.inputTicks };
  const usage = reportedUsage(trueUsage, call.faults);
  const units = { images: count, input_images: inputs, resolution: request.resolution ?? "1k" };
  const body = { data, model: model.id, ...(usage !== undefined && { usage }) };
  return { type: "json", status: 200, body, usage, trueUsage, units };
}

/** `POST /v1/images/generations`; blocked images are charged like others. */
export async function grokImages(call: Call): Promise<Reply> {
  const parsed = generation.safeParse(call.body);
  if (!parsed.success) throw xaiIssue(parsed.error, call.body);
  return respond(call, parsed.data, 0);
}

/** `POST /v1/images/edits`, in JSON */
export async function grokImageEdits(call: Call): Promise<Reply> {
  const parsed = edit.safeParse(call.body);
  if (!parsed.success) throw xaiIssue(parsed.error, call.body);
  const { image, images } = parsed.data;
  if ((image === undefined) === (images === undefined)) {
    throw rejectXai(400, "Exactly one of image and images must be provided.");
  }
  const given = images ?? (image === undefined ? [] : [image]);
  for (const { url, file_id } of given) {
    if ((url === undefined) === (file_id === undefined)) throw rejectXai(400, "An image needs either url or file_id.");
    if (url !== undefined) checkImage(url);
  }
  return respond(call, parsed.data, given.length);
}
