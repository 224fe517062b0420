import { z } from "zod";

const count = z.int().min(0);
const tokenCounts = z.array(z.looseObject({ modality: z.string().optional(), tokenCount: count.optional() }));

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional().describe("The text is the model's reasoning."),
  thoughtSignature: z.string().optional().describe("Send it back in the same part of the next request."),
  functionCall: z
    .looseObject({ id: z.string().optional(), name: z.string().optional(), args: z.looseObject({}).optional() })
    .optional(),
});

const usageMetadata = z.looseObject({
  promptTokenCount: count.optional(),
  cachedContentTokenCount: count.optional(),
  candidatesTokenCount: count.optional(),
  thoughtsTokenCount: count.optional(),
  totalTokenCount: count.optional(),
  promptTokensDetails: tokenCounts.optional(),
  cacheTokensDetails: tokenCounts.optional(),
  candidatesTokensDetails: tokenCounts.optional(),
});

/** A response in Gemini's format, or an event of a streamed one, which has part of the content. */
export const generateContentResponse = z.object({
  candidates: z
    .array(
      z.looseObject({
        index: count.optional(),
        content: z.looseObject({ role: z.string().optional(), parts: z.array(part).optional() }).optional(),
        finishReason: z.string().optional().describe("STOP, MAX_TOKENS, SAFETY and others; at the end."),
        finishMessage: z.string().optional(),
      }),
    )
    .optional(),
  promptFeedback: z.looseObject({ blockReason: z.string().optional() }).optional(),
  usageMetadata: usageMetadata.optional(),
  modelVersion: z.string().optional().describe("The model that served the request."),
  responseId: z.string().optional(),
});

/** The tokens of a request in Gemini's format. */
export const geminiTokenCount = z.object({ totalTokens: count });

/** A model in Gemini's format. */
export const geminiModel = z.object({
  name: z.string().describe("models/ and its id."),
  version: z.string(),
  displayName: z.string(),
  inputTokenLimit: count.optional(),
  outputTokenLimit: count.optional(),
  supportedGenerationMethods: z.array(z.string()),
  thinking: z.boolean().optional(),
});

/** A page of the key's models in Gemini's format. */
export const geminiModelList = z.object({
  models: z.array(geminiModel),
  nextPageToken: z.string().optional().describe("For the query parameter pageToken; absent on the last page."),
});
