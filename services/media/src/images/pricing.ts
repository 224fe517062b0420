import { bound, dearestUnit, type Limit, type ModelPrice, price, unpricedModel } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import type { Size } from "@uag/pipeline/operation/operation-spec";
import { Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { pixelsOf } from "@uag/providers/images/sizes";
import { type ImageCounts, tokensOfPartial } from "@uag/providers/images/stream";
import type { ImageRequest, ImageResponse } from "@uag/providers/images/types";
import { countTokens } from "@uag/providers/tokens";
import type { UsageReport } from "@uag/providers/usage-report";
import type { ImageJob } from "./job.ts";

const bytesPerToken = 4;
const squareMegapixel = 1024 * 1024;
/** The largest image that can be requested, or that a model chooses on its own: 3840 x 2160. */
const maxPixels = 3_840 * 2_160;
/** Of the sizes a model chooses on its own, the largest is 1536 x 1024. */
const maxAutoPixels = 1_536 * 1_024;

/** True for a model that is billed by tokens, not by image. */
function countsTokens(model: Model): boolean {
  return model.image?.outputTokens !== undefined;
}

/**
 * Bounds a job's cost. A prompt token is at least one byte; a model billed by image reserves no
 * tokens.
 * @throws {GatewayError} `unpriced_model` for a size or quality without a price
 */
export function imageRequestSize({ model, request, adapter }: ImageJob): Size {
  if (!countsTokens(model)) {
    const units = pictureUnits({ model, request, adapter }, { images: request.count });
    const { costNanoUsd, pricing } = price(units, model.price);
    if (pricing !== Pricing.EXACT) throw unpricedModel(`${model.id}: ${units.map(({ name }) => name).join(", ")}`);
    return { holdNanoUsd: costNanoUsd, tokens: 0 };
  }
  const promptBytes = Buffer.byteLength(request.prompt);
  const pictures = inputImages(request);
  const drawn = request.count * (drawnTokens(model, request) + sketchTokens(request));
  // Each call sends the prompt and the images again.
  const calls = Math.ceil(request.count / adapter.maxPerCall);
  const limits: Limit[] = [
    { quantity: BigInt(calls * promptBytes), anyOf: sizings.images.prompt },
    { quantity: BigInt(calls * pictures * model.imageTokens), anyOf: sizings.images.references },
    { quantity: BigInt(drawn), anyOf: sizings.images.drawn },
    { quantity: BigInt(request.count * model.maxOutputTokens), anyOf: sizings.images.text },
  ];
  const tokens = Math.ceil(promptBytes / bytesPerToken) + calls * pictures * model.imageTokens + drawn;
  return { holdNanoUsd: bound(limits, model.price), tokens };
}

/** Maximum tokens of one image of the requested size and quality. */
function drawnTokens(model: Model, { size, options }: ImageRequest): number {
  const table = model.image?.outputTokens;
  if (table === undefined) return 0;
  if (model.image?.family !== "gamma") return table.high;
  const { quality } = options;
  const tokens = quality === "low" || quality === "medium" ? table[quality] : table.high;
  const pixels = size === undefined ? undefined : pixelsOf(size);
  const area = pixels === undefined ? maxAutoPixels : Math.min(pixels.width * pixels.height, maxPixels);
  return Math.ceil(tokens * Math.max(1, area / squareMegapixel));
}

function sketchTokens({ stream, options }: ImageRequest): number {
  const { partial_images: sketches } = options;
  return stream && typeof sketches === "number" ? sketches * tokensOfPartial : 0;
}

type PricedJob = Pick<ImageJob, "model" | "request" | "adapter">;

/** The units of images billed one by one, including input images if those have a price. */
function pictureUnits(
  { model, request, adapter }: PricedJob,
  { images, calls = Math.ceil(request.count / adapter.maxPerCall) }: { images: number; calls?: number },
): Unit[] {
  const units = [{ name: pictureUnit(model.price, adapter.priceVariants(request)), quantity: BigInt(images) }];
  const sent = calls * request.references.length;
  if (sent > 0 && model.price.rates.has("input_images")) units.push({ name: "input_images", quantity: BigInt(sent) });
  return units;
}

/** `images:<variant>` for the first variant with a price of its own, else `images`. */
function pictureUnit({ rates }: ModelPrice, variants: readonly string[]): string {
  const priced = variants.map((variant) => `images:${variant}`).find((name) => rates.has(name));
  return priced ?? "images";
}

export interface Counted {
  readonly units: Unit[];
  /** The provider's own usage object; a JSON array for several calls. */
  readonly raw: Buffer | undefined;
  readonly estimated: boolean;
  /** The input images are at their upper bound. */
  readonly isUpperBound: boolean;
}

/** The units to bill for the responses: the provider's usage if reported, else our estimate. */
export async function countOf(job: ImageJob, responses: readonly ImageResponse[]): Promise<Counted> {
  const raws = responses.flatMap(({ usage }) => (usage === undefined ? [] : [usage.raw]));
  const raw = raws.length > 1 ? Buffer.from(`[${raws.map((each) => each.toString("utf8")).join(",")}]`) : raws[0];
  if (!countsTokens(job.model)) {
    const images = responses.reduce((sum, response) => sum + response.billedImages, 0);
    return {
      units: pictureUnits(job, { images, calls: responses.length }),
      raw,
      estimated: false,
      isUpperBound: false,
    };
  }
  const units: Unit[] = [];
  let estimated = false;
  for (const { usage, images } of responses) {
    if (usage?.units !== undefined) units.push(...usage.units);
    else {
      estimated = true;
      units.push(...(await estimate(job, images.length)));
    }
  }
  return { units: merged(units), raw, estimated, isUpperBound: estimated && hasBoundedInput(job) };
}

/**
 * Estimates the units of images by the table, when the provider reports none. Input images are at
 * their upper bound.
 */
export async function estimate({ model, request }: ImageJob, images: number): Promise<Unit[]> {
  const prompt = { name: "input_tokens", quantity: BigInt(await countTokens(request.prompt)) };
  const units = [prompt, ...inputImageUnits(model, request)];
  if (images > 0) units.push({ name: "image_output_tokens", quantity: BigInt(images * drawnTokens(model, request)) });
  return merged(units);
}

/** Whether an estimate contains input images, whose tokens only the provider's usage reports. */
export function hasBoundedInput({ model, request }: Pick<ImageJob, "model" | "request">): boolean {
  return countsTokens(model) && inputImages(request) > 0;
}

/**
 * The units of a stream so far, at most those that its hold bounds: the prompt, roughly counted; the
 * input images, at their upper bound; the complete images and, once a partial image has arrived, the
 * one in progress.
 */
export function unitsSoFar({ model, request }: ImageJob, { partials, completed }: ImageCounts): Unit[] {
  const { prompt, count } = request;
  const images = Math.min(completed + (partials > 0 ? 1 : 0), count);
  const sketched = Math.min(partials * tokensOfPartial, count * sketchTokens(request));
  const units = [
    { name: "input_tokens", quantity: BigInt(Math.ceil(Buffer.byteLength(prompt) / bytesPerToken)) },
    ...inputImageUnits(model, request),
    { name: "image_output_tokens", quantity: BigInt(images * drawnTokens(model, request) + sketched) },
  ];
  return merged(units.filter(({ quantity }) => quantity > 0n));
}

/** The units of a request's input images, at their upper bound. */
function inputImageUnits(model: Model, request: ImageRequest): Unit[] {
  const quantity = BigInt(inputImages(request) * model.imageTokens);
  return quantity > 0n ? [{ name: dearestUnit(sizings.images.references, model.price), quantity }] : [];
}

/** Images that are sent with the prompt. */
function inputImages({ references, mask }: ImageRequest): number {
  return references.length + (mask === undefined ? 0 : 1);
}

/** The units a provider charges for images in progress when the call was aborted. */
export async function abandonedUnits(job: ImageJob, count: number): Promise<Unit[]> {
  if (countsTokens(job.model)) return await estimate(job, count);
  return pictureUnits({ ...job, request: { ...job.request, count } }, { images: count });
}

/** The units of usage that was reported with a failure, for a call of `requested` images. */
export function unitsOfFailure(job: ImageJob, { units }: UsageReport, requested: number): Unit[] {
  if (countsTokens(job.model)) return units;
  const reported = units.find(({ name }) => name === "images")?.quantity;
  return pictureUnits(job, { images: Number(reported ?? requested), calls: 1 });
}

/** Sums units of the same name. */
export function merged(units: readonly Unit[]): Unit[] {
  const sums = new Map<string, bigint>();
  for (const { name, quantity } of units) sums.set(name, (sums.get(name) ?? 0n) + quantity);
  return [...sums].map(([name, quantity]) => ({ name, quantity }));
}
