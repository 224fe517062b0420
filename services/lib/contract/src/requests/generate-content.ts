import { z } from "zod";
import { maxMessages, maxParts, maxTools } from "./fields.ts";

const maxModels = 1_000;

const text = z.string().nullish();
const flag = z.boolean().nullish();
const object = z.looseObject({}).nullish();
const range = (min: number, max: number) => z.number().min(min).max(max).nullish();

const part = z.looseObject({
  text,
  thought: flag.describe("The text is the model's reasoning."),
  thoughtSignature: text.describe("Send it back as it was received, in the same part."),
  inlineData: z.looseObject({ mimeType: z.string().min(1), data: z.string() }).nullish(),
  fileData: z.looseObject({ mimeType: text, fileUri: z.string().min(1) }).nullish(),
  functionCall: z.looseObject({ id: text, name: z.string().min(1), args: object }).nullish(),
  functionResponse: z.looseObject({ id: text, name: z.string().min(1), response: object }).nullish(),
});

const content = z.looseObject({ role: text.describe("user or model."), parts: z.array(part).max(maxParts).nullish() });

const declaration = z.looseObject({ name: z.string().min(1).max(256), description: text });

const tool = z.looseObject({ functionDeclarations: z.array(declaration).max(maxTools).nullish() });

const generationConfig = z.looseObject({
  temperature: range(0, 2),
  topP: range(0, 1),
  topK: z.number().min(0).nullish(),
  candidateCount: z.int().min(1).max(8).nullish(),
  maxOutputTokens: z.int().min(1).nullish(),
  stopSequences: z.array(z.string()).max(64).nullish(),
  seed: z.int().nullish(),
  presencePenalty: range(-2, 2),
  frequencyPenalty: range(-2, 2),
  responseLogprobs: flag,
  logprobs: z.int().min(0).max(20).nullish(),
  responseMimeType: text,
  responseModalities: z
    .array(z.string().regex(/^text$/i, { error: "must be TEXT" }))
    .max(8)
    .nullish(),
  thinkingConfig: z
    .looseObject({ includeThoughts: flag, thinkingBudget: z.int().min(-1).nullish(), thinkingLevel: text })
    .nullish(),
  mediaResolution: text,
});

/**
 * The body of `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`
 * (https://ai.google.dev/api/generate-content); further fields are left to the upstream. Names in
 * snake case are accepted too.
 */
export const generateContentRequest = z.looseObject({
  contents: z.array(content).min(1).max(maxMessages),
  systemInstruction: content.nullish(),
  tools: z.array(tool).max(maxTools).nullish(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({ mode: text, allowedFunctionNames: z.array(z.string()).max(maxTools).nullish() })
        .nullish(),
    })
    .nullish(),
  safetySettings: z.array(z.looseObject({})).max(64).nullish(),
  generationConfig: generationConfig.nullish(),
  serviceTier: z
    .string()
    .regex(/^standard$/i, { error: "must be standard" })
    .nullish(),
});

/**
 * The body of `POST /v1beta/models/{model}:countTokens`: contents alone, or a whole request
 * (https://ai.google.dev/api/tokens).
 */
export const countTokensRequest = z.looseObject({
  contents: generateContentRequest.shape.contents.nullish(),
  generateContentRequest: generateContentRequest.nullish(),
});

/** The query of the paths that generate. */
export const generateContentQuery = z.object({
  alt: z
    .enum(["sse", "json"], { error: "must be sse or json" })
    .optional()
    .describe("`sse`: a stream's responses are server-sent events; default: the elements of one JSON array."),
});

/** Query of `GET /v1beta/models`. */
export const geminiModelListQuery = z.object({
  pageSize: z.coerce
    .number()
    .min(1)
    .overwrite((rows) => Math.min(Math.floor(rows), maxModels))
    .int()
    .max(maxModels)
    .optional()
    .catch(undefined)
    .describe("Maximum models per page; default: 50."),
  pageToken: z.string().optional().describe("`nextPageToken` of the previous page."),
});
