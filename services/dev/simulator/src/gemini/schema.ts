import { z } from "zod";

const blob = z.strictObject({ mimeType: z.string(), data: z.string(), displayName: z.string().optional() });
const args = z.record(z.string(), z.unknown());

const part = z.strictObject({
  text: z.string().optional(),
  inlineData: blob.optional(),
  fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
  functionCall: z.strictObject({ id: z.string().optional(), name: z.string(), args: args.nullish() }).optional(),
  functionResponse: z
    .strictObject({
      id: z.string().optional(),
      name: z.string(),
      response: args,
      parts: z.array(z.unknown()).optional(),
    })
    .optional(),
  executableCode: z.unknown().optional(),
  codeExecutionResult: z.unknown().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  videoMetadata: z.unknown().optional(),
  mediaResolution: z.unknown().optional(),
});

const content = z.strictObject({ role: z.string().optional(), parts: z.array(part).default([]) });

const declaration = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]*$/),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  parametersJsonSchema: z.unknown().optional(),
  response: z.unknown().optional(),
  responseJsonSchema: z.unknown().optional(),
  behavior: z.string().optional(),
});

const generationConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(1).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  stopSequences: z.array(z.string()).max(5).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  responseMimeType: z.enum(["text/plain", "application/json", "text/x.enum"]).optional(),
  responseSchema: z.record(z.string(), z.unknown()).optional(),
  responseJsonSchema: z.unknown().optional(),
  responseModalities: z.array(z.enum(["TEXT", "IMAGE", "AUDIO"])).optional(),
  thinkingConfig: z
    .strictObject({
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z.enum(["minimal", "low", "medium", "high", "MINIMAL", "LOW", "MEDIUM", "HIGH"]).optional(),
      includeThoughts: z.boolean().optional(),
    })
    .optional(),
  mediaResolution: z.string().optional(),
  speechConfig: z.unknown().optional(),
  imageConfig: z.unknown().optional(),
});

/** `models/{model}:generateContent`, with field names in camel case. */
export const generateSchema = z.strictObject({
  model: z.string().optional(),
  contents: z.array(content).min(1),
  systemInstruction: content.optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).max(512).optional() })).optional(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"]).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
          streamFunctionCallArguments: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
  cachedContent: z.string().optional(),
  generationConfig: generationConfig.optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

/** `models/{model}:countTokens`: only contents, or a whole request. */
export const countSchema = z.strictObject({
  contents: z.array(content).min(1).optional(),
  generateContentRequest: generateSchema.optional(),
});

export type GenerateRequest = z.infer<typeof generateSchema>;
export type Content = z.infer<typeof content>;
export type Part = z.infer<typeof part>;
