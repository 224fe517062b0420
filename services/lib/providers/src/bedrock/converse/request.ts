import type { Upstream } from "@uag/catalog/types";
import { encodeJson } from "@uag/untrusted/json/encode";
import { plainCallId } from "../../conversation/call-id.ts";
import { refusal } from "../../conversation/refusal.ts";
import { shortToolName } from "../../conversation/tool-name.ts";
import { alternatingTurns, type SpokenTurn, systemParts } from "../../conversation/turns.ts";
import type {
  AssistantPart,
  Conversation,
  MediaPart,
  ResponseFormat,
  ResultPart,
  TextPart,
  UserPart,
} from "../../conversation/types.ts";
import type { GenerationCall, UpstreamCall } from "../../generation.ts";
import { inlineMedia } from "../../media/inline.ts";
import { bearerHeaders } from "../../openai-compatible/headers.ts";

type Block = Record<string, unknown>;
interface Context {
  readonly call: Pick<GenerationCall, "media">;
  readonly signal: AbortSignal;
  readonly cachesPrompts: boolean;
}

/**
 * The models that take a cache point, in the system prompt and in messages; others reject it
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, "Supported models").
 */
const isCaching = (model: string): boolean => /(?:^|\.)amazon\.nova-(?:micro|lite|pro|premier)/.test(model);

/** Nova keeps what is cached for five minutes, whatever a mark asks for. */
const cachePoint: Block = { cachePoint: { type: "default" } };
const pointAfter = (part: { readonly cacheControl?: unknown }, cachesPrompts: boolean): Block[] =>
  cachesPrompts && part.cacheControl != null ? [cachePoint] : [];

/**
 * Encodes a conversation for Converse, by which Bedrock calls models of all vendors alike. Media given by
 * URL are fetched, because it only accepts them inline. Settings that it does not have are left out.
 */
export async function encodeForConverse(
  conversation: Conversation,
  call: GenerationCall,
  { model, provider }: Upstream,
  signal: AbortSignal,
): Promise<UpstreamCall> {
  if (conversation.candidates > 1) throw refusal("n", "This model supports only one choice.");
  const cachesPrompts = isCaching(model);
  const system = systemOf(conversation, cachesPrompts);
  const config = inferenceConfig(conversation);
  const body = {
    messages: await messagesOf(conversation, { call, signal, cachesPrompts }),
    ...(system.length > 0 && { system }),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...toolConfig(conversation),
  };
  return {
    path: `/model/${encodeURIComponent(model)}/${call.stream ? "converse-stream" : "converse"}`,
    headers: bearerHeaders(provider, call.requestId),
    body: await encodeJson(body),
  };
}

function inferenceConfig({ outputCap, sampling, stop }: Conversation): Block {
  const stopSequences = stop.filter((text) => text.trim() !== "");
  return {
    ...(outputCap !== undefined && { maxTokens: outputCap }),
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(sampling.topP !== undefined && { topP: sampling.topP }),
    ...(stopSequences.length > 0 && { stopSequences }),
  };
}

function systemOf(conversation: Conversation, cachesPrompts: boolean): Block[] {
  const parts = systemParts(conversation).flatMap((part) => [textBlock(part.text), ...pointAfter(part, cachesPrompts)]);
  return [...parts, ...formatTexts(conversation.format).map(textBlock)];
}

/** Few models are held to a format there, so the model is asked for it. */
function formatTexts(format: ResponseFormat): string[] {
  if (format.kind === "text") return [];
  const jsonOnly = "Respond with one JSON object only, without surrounding text or a code fence.";
  return format.kind === "json" ? [jsonOnly] : [`${jsonOnly} Its JSON schema is: ${JSON.stringify(format.schema)}`];
}

/** Blank text is rejected. */
const textBlock = (text: string): Block => ({ text: text.trim() === "" ? "." : text });

async function messagesOf(conversation: Conversation, context: Context): Promise<Block[]> {
  const messages: Block[] = [];
  for (const turn of alternatingTurns(conversation)) {
    const content = await contentOf(turn, context);
    if (content.length > 0) messages.push({ role: turn.role, content });
  }
  // A conversation must begin with a user turn, even if the client omitted it.
  if (messages[0]?.["role"] !== "user") messages.unshift({ role: "user", content: [textBlock("")] });
  return messages;
}

async function contentOf(turn: SpokenTurn, context: Context): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const part of turn.parts as readonly (UserPart | AssistantPart)[]) {
    if (part.type === "text") blocks.push(textBlock(part.text));
    else if (part.type === "media") blocks.push(await mediaBlock(part, context));
    else if (part.type === "result") blocks.push(await resultBlock(part, context));
    else if (part.type === "call") {
      const { id, name, input } = part;
      blocks.push({ toolUse: { toolUseId: callId(id), name: shortToolName(name), input } });
    }
    if ("cacheControl" in part) blocks.push(...pointAfter(part, context.cachesPrompts));
  }
  // A document needs a text beside it.
  if (blocks.some((block) => "document" in block) && !blocks.some((block) => "text" in block))
    blocks.push(textBlock(""));
  return blocks;
}

/** The longest id that is accepted. */
const callId = (id: string): string => plainCallId(id).slice(0, 64);

async function resultBlock(result: ResultPart, context: Context): Promise<Block> {
  const content: Block[] = [];
  for (const part of result.parts) content.push(await resultContent(part, context));
  if (content.length === 0) content.push(textBlock(""));
  const status = result.isError ? "error" : "success";
  return { toolResult: { toolUseId: callId(result.callId), content, status } };
}

const resultContent = async (part: TextPart | MediaPart, context: Context): Promise<Block> =>
  part.type === "text" ? textBlock(part.text) : await mediaBlock(part, context);

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html */
const formats: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
};

async function mediaBlock(part: MediaPart, { call, signal }: Context): Promise<Block> {
  const { kind, param } = part;
  if (kind === "audio") throw refusal(param, "This model does not accept audio.");
  const { mediaType, base64 } = await inlineMedia(part, call.media, signal);
  const format = formats[mediaType];
  if (format === undefined) throw refusal(param, `This model does not accept ${mediaType}.`);
  const source = { bytes: base64 };
  return { [kind]: { format, source, ...(kind === "document" && { name: nameOf(part) }) } };
}

/** The characters that a name may have; names within a conversation must differ, and a path does. */
const nameOf = ({ title = "file", param }: MediaPart): string =>
  `${title} ${param}`
    .replaceAll(/[^A-Za-z0-9()[\]-]+/g, " ")
    .slice(-200)
    .trim();

function toolConfig({ tools, toolChoice, turns }: Conversation): Block {
  // A conversation with calls needs the tools; none of them can be forbidden there.
  const isNeeded = turns.some(({ role, parts }) => role === "assistant" && parts.some(({ type }) => type === "call"));
  if (tools.length === 0 || (toolChoice?.kind === "none" && !isNeeded)) return {};
  const specs = tools.map(({ name, description, schema }) => ({
    toolSpec: {
      name: shortToolName(name),
      ...(description !== undefined && description !== "" && { description }),
      inputSchema: { json: { ...schema, type: "object" } },
    },
  }));
  const choice = choiceOf(toolChoice);
  return { toolConfig: { tools: specs, ...(choice !== undefined && { toolChoice: choice }) } };
}

function choiceOf(choice: Conversation["toolChoice"]): Block | undefined {
  if (choice?.kind === "required") return { any: {} };
  return choice?.kind === "tool" ? { tool: { name: shortToolName(choice.name) } } : undefined;
}
