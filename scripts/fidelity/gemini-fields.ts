import { generateContentFieldCosts } from "@uag/providers/passed-fields/generate-content";
import type { DocumentedField, DocumentedFormat, Json } from "./documented.ts";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const declaration = { name: "weather", parametersJsonSchema: schema };
const tool = (more: Json = {}): Json => ({ tools: [{ functionDeclarations: [{ ...declaration, ...more }] }] });
const two = { tools: [{ functionDeclarations: [declaration, { ...declaration, name: "time" }] }] };
const config = (generationConfig: Json): Json => ({ generationConfig });
const setting = (name: string, value: unknown): DocumentedField => ({
  name: `generationConfig.${name}`,
  sent: config({ [name]: value }),
});
const calling = (functionCallingConfig: Json): Json => ({ toolConfig: { functionCallingConfig } });
const user = (...parts: Json[]): Json => ({ role: "user", parts });
const model = (...parts: Json[]): Json => ({ role: "model", parts });
const ask = user({ text: "Hello" });
const part = (name: string, one: Json): DocumentedField => ({
  name: `contents[].parts[].${name}`,
  sent: { contents: [user({ text: "What is this?" }, one)] },
  without: { contents: [user({ text: "What is this?" })] },
});
const call = { functionCall: { name: "weather", args: { city: "Rome" } } };
const result = user({ functionResponse: { name: "weather", response: { output: "Sunny" } } });
const format = (more: Json): Json => config({ responseMimeType: "application/json", ...more });

const fields: readonly DocumentedField[] = [
  { name: "systemInstruction", sent: { systemInstruction: { parts: [{ text: "Be brief." }] } } },
  part("inlineData", { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }),
  part("fileData", { fileData: { mimeType: "image/png", fileUri: "https://example.com/a.png" } }),
  {
    name: "contents[].parts[].functionCall",
    sent: { ...tool(), contents: [ask, model(call), ask] },
    without: { ...tool(), contents: [ask, model({ text: "A call." }), ask] },
  },
  {
    name: "contents[].parts[].functionResponse",
    sent: { ...tool(), contents: [ask, model(call), result] },
    without: { ...tool(), contents: [ask, model(call)] },
  },
  {
    name: "contents[].parts[].thoughtSignature",
    sent: { contents: [ask, model({ text: "Hi", thoughtSignature: "c2lnbmVk" }), ask] },
    without: { contents: [ask, model({ text: "Hi" }), ask] },
  },
  { name: "cachedContent", sent: { cachedContent: "cachedContents/1" } },
  setting("candidateCount", 2),
  setting("frequencyPenalty", 0.5),
  setting("imageConfig", { aspectRatio: "1:1" }),
  setting("maxOutputTokens", 64),
  setting("mediaResolution", "MEDIA_RESOLUTION_LOW"),
  setting("presencePenalty", 0.5),
  {
    name: "generationConfig.responseJsonSchema",
    sent: format({ responseJsonSchema: schema }),
    without: format({}),
  },
  setting("responseLogprobs", true),
  { name: "generationConfig.responseMimeType application/json", sent: format({}) },
  {
    name: "generationConfig.responseSchema",
    sent: format({ responseSchema: { type: "OBJECT", properties: { city: { type: "STRING" } } } }),
    without: format({}),
  },
  setting("seed", 7),
  setting("speechConfig", {}),
  setting("stopSequences", ["END"]),
  setting("temperature", 0.5),
  setting("thinkingConfig", { thinkingBudget: 1_024 }),
  setting("topK", 20),
  setting("topP", 0.9),
  {
    name: "safetySettings",
    sent: { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] },
  },
  { name: "serviceTier", sent: { serviceTier: "standard" } },
  { name: "serviceTier flex", sent: { serviceTier: "flex" } },
  { name: "toolConfig", sent: { ...tool(), ...calling({ mode: "ANY" }) }, without: tool() },
  {
    name: "toolConfig.functionCallingConfig.allowedFunctionNames",
    sent: { ...two, ...calling({ mode: "ANY", allowedFunctionNames: ["time"] }) },
    without: { ...two, ...calling({ mode: "ANY" }) },
  },
  { name: "tools", sent: tool() },
  { name: "tools[].functionDeclarations[].description", sent: tool({ description: "Weather" }), without: tool() },
  { name: "tools[].codeExecution", sent: { tools: [{ codeExecution: {} }] } },
  { name: "tools[].googleSearch", sent: { tools: [{ googleSearch: {} }] } },
  { name: "tools[].urlContext", sent: { tools: [{ urlContext: {} }] } },
];

/** Gemini's own format. */
export const geminiFields: DocumentedFormat = {
  costs: generateContentFieldCosts,
  title: "Gemini",
  path: "/v1beta/models/{model}:generateContent",
  source: "https://ai.google.dev/api/generate-content",
  base: { contents: [ask] },
  fields,
};
