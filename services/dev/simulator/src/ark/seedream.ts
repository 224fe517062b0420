import { hashOf } from "../content/hash.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { mediaFile } from "../media/file.ts";
import { captionOf } from "../media/letters.ts";
import { type MediaSpec, mediaUrl, traitsOf } from "../media/url.ts";
import type { Usage } from "../usage.ts";
import { invalidArk, rejectArk } from "./protocol.ts";
import { type SeedreamJob, seedreamJob } from "./seedream-checks.ts";
import { type SeedreamModel, seedreamModel } from "./seedream-models.ts";
import { type SeedreamRequest, seedreamFields, seedreamSchema } from "./seedream-schema.ts";
import { arkIssue } from "./wording.ts";

interface Item {
  readonly url?: string;
  readonly b64_json?: string;
  readonly size?: string;
  readonly error?: object;
}

const pixelsPerToken = 256;
const sensitive = {
  code: "OutputImageSensitiveContentDetected",
  message: "The request failed because the output image may contain sensitive information.",
};
const failed = { code: "InternalServiceError", message: "The image could not be generated." };

function modelOf(call: Call): SeedreamModel {
  const model = seedreamModel(call.model ?? "");
  if (model !== undefined) return model;
  const message = `The model or endpoint ${call.model} does not exist or you do not have access to it.`;
  throw rejectArk({ status: 404, code: "InvalidEndpointOrModel.NotFound", message });
}

function requestOf(call: Call): SeedreamRequest {
  const parsed = seedreamSchema.safeParse(call.body);
  if (!parsed.success) throw arkIssue(parsed.error, call.body);
  const unknown = Object.keys(parsed.data).find((field) => !seedreamFields.has(field));
  if (unknown !== undefined && call.faults.strict !== undefined) throw invalidArk(unknown, "it is unknown");
  return parsed.data;
}

async function itemOf(call: Call, request: SeedreamRequest, job: SeedreamJob, index: number): Promise<Item> {
  const { width, height, format } = job;
  const digest = hashOf(call.digest, String(index));
  const spec: MediaSpec = { kind: "image", digest, caption: captionOf(request.prompt), width, height, format };
  const size = `${width}x${height}`;
  if (request.response_format !== "b64_json") return { url: mediaUrl(spec, traitsOf(call)), size };
  const { bytes } = await mediaFile(spec, call.faults["image-mib"]);
  return { b64_json: bytes.toString("base64"), size };
}

async function itemsOf(call: Call, request: SeedreamRequest, job: SeedreamJob): Promise<Item[]> {
  const isModerated = call.faults.moderation !== undefined;
  const made = isModerated ? 0 : Math.max(0, job.count - (call.faults["image-fail"] ?? 0));
  const error = isModerated ? sensitive : failed;
  if (job.count === 1 && made === 0) throw rejectArk({ status: isModerated ? 400 : 500, ...error });
  const items: Item[] = [];
  // The last images fail, so that the number of those made can be checked.
  for (let i = 0; i < job.count; i++) items.push(i < made ? await itemOf(call, request, job, i) : { error });
  return items;
}

function seedreamUsage(job: SeedreamJob, items: readonly Item[]): Usage {
  const generated = items.filter((item) => item.error === undefined).length;
  const tokens = generated * Math.round((job.width * job.height) / pixelsPerToken);
  const inputs = job.references > 0 ? { input_images: job.references } : {};
  return { generated_images: generated, output_tokens: tokens, total_tokens: tokens, ...inputs };
}

function* eventsOf(call: Call, items: readonly Item[], usage: Usage | undefined): Generator<StreamEvent> {
  const { model, created } = call;
  for (const [imageIndex, item] of items.entries()) {
    const type = `image_generation.partial_${item.error === undefined ? "succeeded" : "failed"}`;
    yield { event: type, data: JSON.stringify({ type, model, created, image_index: imageIndex, ...item }) };
  }
  const type = "image_generation.completed";
  const reported = usage === undefined ? {} : { usage };
  yield { event: type, data: JSON.stringify({ type, model, created, ...reported }), usage };
  yield { data: "[DONE]", terminator: true };
}

/** `POST /images/generations` */
export async function seedreamImages(call: Call): Promise<Reply> {
  const request = requestOf(call);
  const job = seedreamJob(request, modelOf(call));
  const items = await itemsOf(call, request, job);
  const trueUsage = seedreamUsage(job, items);
  const usage = reportedUsage(trueUsage, call.faults);
  const images = items.filter((item) => item.error === undefined).length;
  const units = { images, width: job.width, height: job.height, tokens: Number(trueUsage["output_tokens"]) };
  if (request.stream) return { type: "events", framing: "sse", events: eventsOf(call, items, usage), trueUsage, units };
  const formats = request.output_format === undefined ? {} : { output_format: job.format };
  const data = items.map((item) => (item.error === undefined ? { ...item, ...formats } : item));
  const body = { model: call.model, created: call.created, data, ...(usage !== undefined && { usage }) };
  return { type: "json", status: 200, body, usage, trueUsage, units };
}
