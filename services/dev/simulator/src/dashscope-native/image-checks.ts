import { probe } from "../media/probe.ts";
import { freeSize, listedSizes, type QwenImageModel } from "./image-models.ts";
import type { ImageRequest } from "./image-schema.ts";
import { invalidParameter } from "./protocol.ts";

/** A validated request: the prompt and the output. */
export interface ImageJob {
  readonly text: string;
  readonly references: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
}

const maxTextLength = 800;
const sides = { min: 384, max: 3072 };
const maxImage = 10 * 1024 * 1024;

function checkImage(url: string): readonly [number, number] | undefined {
  const found = probe(url);
  switch (found.kind) {
    case "not-a-url":
      throw invalidParameter("url error, please check url！", "InvalidURL");
    case "unreachable":
      throw invalidParameter("download image failed");
    case "broken":
      throw invalidParameter("Invalid image format or corrupted file");
    case "image": {
      const { width, height, size } = found;
      const fits = Math.min(width, height) >= sides.min && Math.max(width, height) <= sides.max;
      if (!fits) {
        const text = `The image resolution is invalid, each side must be in [${sides.min}, ${sides.max}]`;
        throw invalidParameter(text, "InvalidParameter");
      }
      if (size > maxImage) throw invalidParameter("The size of the input image must not exceed 10MB.");
      return [width, height];
    }
    default:
      return undefined;
  }
}

interface Content {
  text: string;
  lastImage: readonly [number, number] | undefined;
  references: number;
}

function contentOf({ input }: ImageRequest, model: QwenImageModel): Content {
  const [message, ...others] = input.messages;
  if (message === undefined) throw invalidParameter("No messages found in input");
  if (others.length > 0) throw invalidParameter("messages length only support 1");
  const texts = message.content.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const images = message.content.flatMap(({ image }) => (image === undefined ? [] : [image]));
  const isMixed = message.content.some(({ text, image }) => (text === undefined) === (image === undefined));
  const [text = ""] = texts;
  if (isMixed || texts.length !== 1 || text.trim() === "") throw invalidParameter("lack of image or text");
  if (images.length === 0 && !model.draws) throw invalidParameter("lack of image or text");
  if (images.length > model.references) {
    throw invalidParameter(
      model.references === 0 ? "content length only support 1" : "the number of images must be 1 to 3",
    );
  }
  if (text.length > maxTextLength) throw invalidParameter(`Range of prompt length should be [1, ${maxTextLength}]`);
  let lastImage: Content["lastImage"];
  for (const image of images) lastImage = checkImage(image) ?? lastImage;
  return { text, lastImage, references: images.length };
}

// Without a size, an edit keeps the aspect ratio of its last image, at about a million pixels.
function usualSize(model: QwenImageModel, last: Content["lastImage"]): readonly [number, number] {
  if (last === undefined || model.draws) return model.usualSize;
  const scale = 1024 / Math.sqrt(last[0] * last[1]);
  const stepped = (side: number) => Math.max(512, Math.min(2048, 16 * Math.round((side * scale) / 16)));
  return [stepped(last[0]), stepped(last[1])];
}

function qwenImageDimensions(
  requested: string | undefined,
  model: QwenImageModel,
  last: Content["lastImage"],
): readonly [number, number] {
  if (requested === undefined) return usualSize(model, last);
  if (model.size === "none") throw invalidParameter("The size parameter is not supported by this model.");
  const match = /^(\d{1,5})\*(\d{1,5})$/.exec(requested);
  if (match === null) {
    throw invalidParameter(`Invalid size '${requested}'. Expected format: '<width>*<height>'`);
  }
  const [width, height] = [Number(match[1]), Number(match[2])];
  if (model.size === "listed") {
    if (listedSizes.includes(requested)) return [width, height];
    throw invalidParameter(`The size does not match the allowed size ${listedSizes.join(",")}`);
  }
  const size = freeSize(width, height);
  if (size !== undefined) return size;
  throw invalidParameter(
    "The total pixels of size must be between 512*512 and 2048*2048, and its ratio between 1:8 and 8:1",
  );
}

/** Validates a request by the rules of its model, and decides its output. */
export function imageJob(request: ImageRequest, model: QwenImageModel): ImageJob {
  const { text, lastImage, references } = contentOf(request, model);
  const { size, n = 1 } = request.parameters ?? {};
  if (model.max === 1 && n !== 1) throw invalidParameter("num_images_per_prompt must be 1.");
  if (n < 1 || n > model.max) throw invalidParameter(`num_images_per_prompt must be between 1 and ${model.max}.`);
  const [width, height] = qwenImageDimensions(size, model, lastImage);
  return { text, references, width, height, count: n };
}
