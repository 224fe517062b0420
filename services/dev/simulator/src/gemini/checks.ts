import { decodeBase64 } from "../content/data-url.ts";
import { imageInfo } from "../content/image-size.ts";
import { schemaFault } from "./function-schema.ts";
import type { GeminiModel } from "./models.ts";
import type { Content, GenerateRequest, Part } from "./schema.ts";
import { isSignatureOf } from "./signature.ts";

type Check = (request: GenerateRequest, model: GeminiModel) => string | undefined;

function callsIn(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionCall !== undefined);
}

function responsesIn(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionResponse !== undefined);
}

const roles: Check = ({ contents }) =>
  contents.every(({ role }) => role === undefined || role === "user" || role === "model" || role === "function")
    ? undefined
    : "Please use a valid role: user, model.";

const parts: Check = ({ contents }) => {
  for (const [i, content] of contents.entries()) {
    if (content.parts.length === 0)
      return `* GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.\n`;
    for (const [j, part] of content.parts.entries()) {
      const { text, inlineData, fileData, functionCall, functionResponse, executableCode, codeExecutionResult } = part;
      const data = [text, inlineData, fileData, functionCall, functionResponse, executableCode, codeExecutionResult];
      if (data.filter((item) => item !== undefined).length === 1) continue;
      return `* GenerateContentRequest.contents[${i}].parts[${j}].data: required oneof field 'data' must have one initialized field\n`;
    }
  }
  return undefined;
};

const turns: Check = ({ contents }) => {
  for (const [i, content] of contents.entries()) {
    const calls = callsIn(content);
    const before = contents[i - 1];
    if (calls.length > 0 && (before === undefined || before.role === "model")) {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    const responses = responsesIn(contents[i + 1]);
    if (calls.length !== responses.length && (calls.length > 0 || responses.length > 0)) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
  }
  return responsesIn(contents[0]).length > 0
    ? "Please ensure that function response turn comes immediately after a function call turn."
    : undefined;
};

const signatures: Check = ({ contents }, model) => {
  if (!model.needsSignatures) return undefined;
  const texts = contents.flatMap(({ parts }) => parts.filter(({ text }) => text !== undefined));
  const forged = texts.some(({ thoughtSignature: sent }) => sent !== undefined && !isSignatureOf(sent, "", {}));
  if (forged) return "Corrupted thought signature.";
  const turnStart = contents.findLastIndex((content) => content.role !== "model" && responsesIn(content).length === 0);
  for (const [i, content] of contents.entries()) {
    const [first] = callsIn(content);
    const call = first?.functionCall;
    if (i < turnStart || first === undefined || call === undefined) continue;
    if (first.thoughtSignature === undefined) {
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.name}\` , position ${i + 1}.`;
    }
    if (!isSignatureOf(first.thoughtSignature, call.name, call.args)) return "Corrupted thought signature.";
  }
  return undefined;
};

const toolSchemas: Check = (request) => {
  for (const [i, tool] of (request.tools ?? []).entries()) {
    for (const [j, declaration] of (tool.functionDeclarations ?? []).entries()) {
      const fault = schemaFault(declaration.parameters, `tools[${i}].function_declarations[${j}].parameters`);
      if (fault !== undefined) return fault;
    }
  }
  return schemaFault(request.generationConfig?.responseSchema, "generation_config.response_schema");
};

const toolUse: Check = (request, model) => {
  const { functionCallingConfig: config } = request.toolConfig ?? {};
  const names = (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => name);
  if (new Set(names).size !== names.length)
    return `Duplicate function declaration found: ${names.find((name, i) => names.indexOf(name) !== i)}`;
  if (config?.mode === "ANY" && names.length === 0)
    return "Function calling config is set without function_declarations.";
  if (config?.allowedFunctionNames !== undefined && config.mode !== "ANY" && config.mode !== "VALIDATED") {
    return "Allowed function names should only be set when function calling mode is ANY or VALIDATED.";
  }
  const unknown = config?.allowedFunctionNames?.find((name) => !names.includes(name));
  if (unknown !== undefined) return `Allowed function name '${unknown}' is not declared.`;
  const wantsJson = request.generationConfig?.responseMimeType === "application/json";
  if (wantsJson && names.length > 0 && !model.toolsWithJson)
    return "Function calling with a response mime type: 'application/json' is unsupported";
  return undefined;
};

const output: Check = ({ generationConfig: config }, model) => {
  const wanted = config?.maxOutputTokens ?? 1;
  if (wanted > model.outputTokenLimit) {
    return `Unable to submit request because it has a maxOutputTokens value of ${wanted} but the supported range is from 1 (inclusive) to ${model.outputTokenLimit + 1} (exclusive). Update the value and try again.`;
  }
  const hasSchema = config?.responseSchema !== undefined || config?.responseJsonSchema !== undefined;
  if (hasSchema && config.responseMimeType !== "application/json" && config.responseMimeType !== "text/x.enum") {
    return "Response schema with unset or text response mime type is unsupported";
  }
  if (config?.responseModalities?.some((modality) => modality !== "TEXT"))
    return "This model only supports text output.";
  return undefined;
};

const thinking: Check = ({ generationConfig: config }, model) => {
  const { thinkingBudget: budget, thinkingLevel: level } = config?.thinkingConfig ?? {};
  if (budget !== undefined && level !== undefined)
    return "You can only set only one of thinking budget and thinking level.";
  if (level !== undefined && model.thinking !== "level") return "Thinking level is not supported for this model.";
  if (budget === 0 && (model.thinking === "always" || model.thinking === "level")) {
    return "Budget 0 is invalid. This model only works in thinking mode.";
  }
  if (budget !== undefined && budget > 0 && model.thinking === "never")
    return "Thinking is not supported for this model.";
  if (budget !== undefined && budget > 32_768)
    return `The thinking budget ${budget} is invalid. Please choose a value between 128 and 32768.`;
  return undefined;
};

const inlineData: Check = ({ contents }) => {
  for (const [i, content] of contents.entries()) {
    for (const [j, { inlineData: data }] of content.parts.entries()) {
      if (data === undefined) continue;
      const where = `contents[${i}].parts[${j}].inline_data.data`;
      const bytes = decodeBase64(data.data.replaceAll("-", "+").replaceAll("_", "/"));
      if (bytes === undefined)
        return `Invalid value at '${where}' (TYPE_BYTES), Base64 decoding failed for "${data.data.slice(0, 20)}"`;
      const isKnownImage = /^image\/(png|jpeg|webp|gif)$/.test(data.mimeType);
      if (isKnownImage && imageInfo(bytes) === undefined)
        return "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting";
      if (!/^(image|audio|video|text)\/|^application\/pdf$/.test(data.mimeType))
        return `Unsupported MIME type: ${data.mimeType}`;
    }
  }
  return undefined;
};

/** https://github.com/googleapis/python-genai/issues/1921 */
const logprobs: Check = ({ generationConfig: config }, model) => {
  if (config?.logprobs !== undefined && config.responseLogprobs !== true)
    return "Logprobs cannot be set unless response_logprobs is set to true.";
  if (config?.responseLogprobs === true && model.logprobs !== true)
    return `Logprobs is not enabled for models/${model.id}`;
  return undefined;
};

const checks: readonly Check[] = [
  toolSchemas,
  parts,
  roles,
  turns,
  signatures,
  toolUse,
  output,
  thinking,
  logprobs,
  inlineData,
];

/** The first rule beyond the schema that a request breaks, in Google's wording. */
export function brokenRule(request: GenerateRequest, model: GeminiModel): string | undefined {
  for (const check of checks) {
    const message = check(request, model);
    if (message !== undefined) return message;
  }
  return undefined;
}
