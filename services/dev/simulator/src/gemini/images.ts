import { z } from "zod";
import { steeringOf } from "../content/steer.ts";
import { countTokens } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { padded } from "../media/file.ts";
import { imageFile } from "../media/image.ts";
import { captionOf } from "../media/letters.ts";
import type { Usage } from "../usage.ts";
import { withCamelNames } from "./field-names.ts";
import { type GeminiImageModel, geminiImageModels, geminiImageSize } from "./image-models.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { rejectGemini } from "./protocol.ts";
import { type GenerateRequest, generateSchema } from "./schema.ts";
import { geminiWording } from "./wording.ts";

type Handler = (call: Call) => Reply | Promise<Reply>;
interface Image {
  readonly width: number;
  readonly height: number;
  readonly tokens: number;
}

const imageConfig = z.strictObject({ aspectRatio: z.string().optional(), imageSize: z.string().optional() });
const caption = "Here is the image.";

function imageOf(request: GenerateRequest, model: GeminiImageModel): Image {
  const config = imageConfig.safeParse(request.generationConfig?.imageConfig ?? {});
  if (!config.success) throw rejectGemini(400, geminiWording(config.error));
  const { aspectRatio = "1:1", imageSize = "1K" } = config.data;
  const size = geminiImageSize(model, aspectRatio, imageSize);
  if (size !== undefined) return { width: size[0], height: size[1], tokens: model.tokens(imageSize) };
  const what = model.sizes.includes(imageSize) ? `aspect ratio ${aspectRatio}` : `image size ${imageSize}`;
  throw rejectGemini(400, `* GenerateContentRequest.generation_config.image_config: ${what} is not supported\n`);
}

function checked(call: Call): GenerateRequest {
  const parsed = generateSchema.safeParse(withCamelNames(call.body));
  if (!parsed.success) throw rejectGemini(400, geminiWording(parsed.error));
  const request = parsed.data;
  const { responseModalities: modalities, responseMimeType } = request.generationConfig ?? {};
  if (modalities?.includes("AUDIO")) {
    throw rejectGemini(400, "The requested combination of response modalities (AUDIO) is not supported by the model.");
  }
  if (responseMimeType !== undefined) throw rejectGemini(400, "JSON mode is not enabled for this model");
  if (request.tools?.some(({ functionDeclarations }) => functionDeclarations !== undefined)) {
    throw rejectGemini(400, "Function calling is not enabled for this model");
  }
  return request;
}

interface Made {
  readonly parts: readonly object[];
  readonly finishReason: string;
  readonly image: Image | undefined;
  readonly text: string;
}

function textIn(request: GenerateRequest): string {
  return (request.contents.at(-1)?.parts.map(({ text = "" }) => text) ?? []).join("\n");
}

async function make(call: Call, request: GenerateRequest, image: Image): Promise<Made> {
  const modalities = request.generationConfig?.responseModalities ?? ["TEXT", "IMAGE"];
  const text = modalities.includes("TEXT") ? caption : "";
  const texts = text === "" ? [] : [{ text }];
  if (!modalities.includes("IMAGE")) return { parts: texts, finishReason: "STOP", image: undefined, text };
  if (call.faults.moderation !== undefined)
    return { parts: [], finishReason: "IMAGE_SAFETY", image: undefined, text: "" };
  if (call.faults["image-fail"] !== undefined)
    return { parts: [], finishReason: "NO_IMAGE", image: undefined, text: "" };
  const { width, height } = image;
  const bytes = await imageFile({
    digest: call.digest,
    caption: captionOf(textIn(request)),
    width,
    height,
    format: "png",
  });
  const data = padded(bytes, call.faults["image-mib"]).toString("base64");
  return { parts: [...texts, { inlineData: { mimeType: "image/png", data } }], finishReason: "STOP", image, text };
}

function trueGeminiImageUsage(prompt: Prompt, { image, text }: Made): Usage {
  const made = (image?.tokens ?? 0) + countTokens(text);
  return {
    promptTokenCount: prompt.total,
    ...(made > 0 && { candidatesTokenCount: made }),
    totalTokenCount: prompt.total + made,
    promptTokensDetails: [...prompt.byModality].map(([modality, tokenCount]) => ({ modality, tokenCount })),
    ...(image !== undefined && { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: image.tokens }] }),
  };
}

function* eventsOf(made: Made, shared: object, usage: Usage | undefined): Generator<StreamEvent> {
  const reported = usage === undefined ? {} : { usageMetadata: usage };
  for (const part of made.parts) {
    const candidates = [{ content: { parts: [part], role: "model" }, index: 0 }];
    yield { data: JSON.stringify({ candidates, ...reported, ...shared }), usage };
  }
  const last = { content: { parts: [{ text: "" }], role: "model" }, finishReason: made.finishReason, index: 0 };
  yield { data: JSON.stringify({ candidates: [last], ...reported, ...shared }), usage };
}

async function generate(call: Call, model: GeminiImageModel, streams: boolean): Promise<Reply> {
  const request = checked(call);
  const prompt = promptOf(request, "");
  const isBlocked = steeringOf(textIn(request)).blocked;
  const nothing: Made = { parts: [], finishReason: "STOP", image: undefined, text: "" };
  const made = isBlocked ? nothing : await make(call, request, imageOf(request, model));
  const trueUsage = trueGeminiImageUsage(prompt, made);
  const usage = reportedUsage(trueUsage, call.faults);
  const responseId = call.newId("");
  const shared = { modelVersion: call.model, responseId: responseId };
  const { image } = made;
  const size = image === undefined ? {} : { width: image.width, height: image.height };
  const units = { images: image === undefined ? 0 : 1, ...size, input_tokens: prompt.total };
  const measured = { trueUsage, units, responseId };
  const reported = usage === undefined ? {} : { usageMetadata: usage };
  if (isBlocked) {
    const body = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...reported, ...shared };
    return { type: "json", status: 200, body, usage, ...measured };
  }
  if (streams) {
    const framing = call.query.get("alt") === "sse" ? "sse" : "json-array";
    return { type: "events", framing, events: eventsOf(made, shared, usage), ...measured };
  }
  const content = { ...(made.parts.length > 0 && { parts: made.parts }), role: "model" };
  const body = { candidates: [{ content, finishReason: made.finishReason, index: 0 }], ...reported, ...shared };
  return { type: "json", status: 200, body, usage, ...measured };
}

/** Responds to a call of an image model with an image; passes any other to the handler for text. */
export function orImage(handler: Handler, streams: boolean): Handler {
  return (call) => {
    const model = geminiImageModels[call.model ?? ""];
    return model === undefined ? handler(call) : generate(call, model, streams);
  };
}
