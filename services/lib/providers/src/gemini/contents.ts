import type { Upstream } from "@uag/catalog/types";
import { geminiSignature } from "../conversation/gemini-signature.ts";
import { shortToolName } from "../conversation/tool-name.ts";
import { alternatingTurns, resultText, type SpokenTurn } from "../conversation/turns.ts";
import type {
  AssistantPart,
  CallPart,
  Conversation,
  MediaPart,
  ResultPart,
  ThinkingPart,
  UserPart,
} from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";
import { inlineMedia } from "../media/inline.ts";
import { wantsSignatures } from "./models.ts";
import { noSignature } from "./signatures.ts";

type Part = Record<string, unknown>;
interface Content {
  role: "user" | "model";
  parts: Part[];
}

export interface GeminiContext {
  readonly call: Pick<GenerationCall, "media">;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
}

export async function contentsOf(conversation: Conversation, context: GeminiContext): Promise<Content[]> {
  const contents: Content[] = [];
  for (const turn of alternatingTurns(conversation)) {
    const parts = turn.role === "user" ? await userParts(turn.parts, context) : modelParts(turn, context);
    if (parts.length > 0) contents.push({ role: turn.role === "user" ? "user" : "model", parts });
  }
  if (contents[0]?.role !== "user") contents.unshift({ role: "user", parts: [{ text: "." }] });
  return contents;
}

async function userParts(turn: readonly UserPart[], context: GeminiContext): Promise<Part[]> {
  const responses: Part[] = [];
  const others: Part[] = [];
  for (const part of turn) {
    if (part.type === "text") others.push({ text: part.text });
    else if (part.type === "media") others.push(await mediaPart(part, context));
    else {
      responses.push(responsePart(part));
      for (const inner of part.parts) if (inner.type === "media") others.push(await mediaPart(inner, context));
    }
  }
  return [...responses, ...others];
}

async function mediaPart(part: MediaPart, { call, signal }: GeminiContext): Promise<Part> {
  const { mediaType, base64 } = await inlineMedia(part, call.media, signal);
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

function responsePart(result: ResultPart): Part {
  const response = { [result.isError ? "error" : "output"]: resultText(result) };
  return { functionResponse: { id: result.callId, name: shortToolName(result.name), response } };
}

function modelParts(turn: SpokenTurn, { upstream }: GeminiContext): Part[] {
  const strict = wantsSignatures(upstream.model);
  const parts: Part[] = [];
  let calls = 0;
  for (const part of turn.parts as readonly (UserPart | AssistantPart)[]) {
    if (part.type === "text") parts.push({ text: part.text });
    else if (part.type === "thinking") addThought(parts, part);
    else if (part.type === "call") {
      // Of parallel calls only the first has a signature.
      parts.push(callPart(part, part.signature ?? (strict && calls === 0 ? noSignature : undefined)));
      calls++;
    }
  }
  return parts;
}

/**
 * Thoughts go back only with their signature. One without thoughts belongs to the text before it,
 * or had a part of its own (ai.google.dev/gemini-api/docs/thought-signatures).
 */
function addThought(parts: Part[], { text, signature }: ThinkingPart): void {
  const thoughtSignature = geminiSignature(signature);
  if (thoughtSignature === undefined) return;
  const last = parts.at(-1);
  if (text !== "") parts.push({ text, thought: true, thoughtSignature });
  else if (last?.["text"] !== undefined && last["thoughtSignature"] === undefined) {
    last["thoughtSignature"] = thoughtSignature;
  } else parts.push({ text, thoughtSignature });
}

function callPart(call: CallPart, signature: string | undefined): Part {
  return {
    functionCall: { id: call.id, name: shortToolName(call.name), args: call.input },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}
