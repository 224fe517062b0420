import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const google = "https://ai.google.dev/api/generate-content";
const otherPrice = "it has a price other than the standard one, which is not in the price list";
const notKept = "the gateway stores no cached contents";
const runByProvider = "the model's provider runs it, and this model has no price for it";
const onlyText = "only TEXT is generated here. Use POST /v1/images/generations or /v1/audio/speech";

/** `POST /v1beta/models/{model}:generateContent`, its names in camel case. */
export const generateContentFieldCosts: FieldTable = {
  alt: free("https://cloud.google.com/apis/docs/system-parameters"),
  cachedContent: refused(notKept),
  contents: bounded("input"),
  "contents[].parts[].inlineData": bounded("media"),
  "contents[].parts[].fileData": bounded("media"),
  "generationConfig.candidateCount": bounded("candidates"),
  "generationConfig.enableEnhancedCivicAnswers": free(google),
  "generationConfig.frequencyPenalty": free(google),
  "generationConfig.imageConfig": refused(onlyText),
  "generationConfig.logprobs": free(google),
  "generationConfig.maxOutputTokens": bounded("output"),
  "generationConfig.mediaResolution": bounded("media"),
  "generationConfig.presencePenalty": free(google),
  "generationConfig.responseFormat": bounded("input"),
  "generationConfig.responseJsonSchema": bounded("input"),
  "generationConfig._responseJsonSchema": bounded("input"),
  "generationConfig.responseLogprobs": free(google),
  "generationConfig.responseMimeType": free(google),
  "generationConfig.responseModalities": free(google, "Only TEXT is accepted."),
  "generationConfig.responseSchema": bounded("input"),
  "generationConfig.seed": free(google),
  "generationConfig.speechConfig": refused(onlyText),
  "generationConfig.stopSequences": free(google),
  "generationConfig.temperature": free(google),
  "generationConfig.thinkingConfig": bounded("output"),
  "generationConfig.topK": free(google),
  "generationConfig.topP": free(google),
  model: bounded("input"),
  safetySettings: free(google),
  serviceTier: free("https://ai.google.dev/gemini-api/docs/pricing"),
  "serviceTier flex": refused(otherPrice),
  "serviceTier priority": refused(otherPrice),
  store: free(google),
  stream: free(google),
  systemInstruction: bounded("input"),
  toolConfig: bounded("input"),
  tools: bounded("input"),
  "tools[].codeExecution": refused(runByProvider),
  "tools[].googleSearch": refused(runByProvider),
  "tools[].urlContext": refused(runByProvider),
};
