import type { Upstream } from "@uag/catalog/types";
import { spokenText } from "../conversation/events.ts";
import { fieldsOf } from "../conversation/fields.ts";
import { deliveredAtOnce } from "../delivered.ts";
import { geminiFormat } from "../formats/gemini/format.ts";
import { Framing } from "../formats/gemini/framing.ts";
import type {
  GenerationAdapter,
  GenerationCall,
  ReplayedResponse,
  UnaryResponse,
  UpstreamCall,
} from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { translated } from "../translate/adapter.ts";
import { geminiHeaders } from "./headers.ts";
import { geminiProtocol } from "./protocol.ts";
import { GeminiReader } from "./reader.ts";
import { withoutForeignSignatures } from "./signatures.ts";
import { GeminiStream } from "./stream.ts";

/** Gemini's own format for an upstream that uses it: bytes pass through in both directions. */
export const geminiGenerateContent: GenerationAdapter = {
  ...translated(geminiFormat, geminiProtocol),
  encode: passedCall,
  decode: (body, _call, upstream) => decodeResponse(body, upstream),
  replay: replayedResponse,
  openStream: (call, upstream) => new GeminiStream(call, upstream),
};

/** The client's bytes, with only the changes this upstream requires. */
function passedCall(call: GenerationCall, { model, provider }: Upstream): UpstreamCall {
  const edits = new Map<string, string | Buffer | undefined>([["model", undefined]]);
  const contents = withoutForeignSignatures(call.body, call.fields, model);
  if (contents !== undefined) edits.set("contents", contents);
  if (call.outputCap !== undefined) {
    const config = { ...fieldsOf(call.fields["generationConfig"]), maxOutputTokens: call.outputCap };
    edits.set("generation_config", undefined).set("generationConfig", JSON.stringify(config));
  }
  const method = call.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    path: `/v1beta/models/${encodeURIComponent(model)}:${method}`,
    headers: [...geminiHeaders(provider), "x-client-request-id", call.requestId],
    body: editMembers(call.body, topLevelMembers(call.body), edits),
  };
}

function decodeResponse(body: Buffer, upstream: Upstream): UnaryResponse {
  const reader = new GeminiReader(upstream, (name) => name);
  const events = reader.body(body);
  return { body, usage: reader.usage, deliveredText: () => events.map(spokenText).join("") };
}

function replayedResponse(body: Buffer, call: GenerationCall, upstream: Upstream): ReplayedResponse {
  const { usage, deliveredText } = decodeResponse(body, upstream);
  const framing = new Framing(call);
  const output = [Buffer.from(framing.frame(JSON.stringify(JSON.parse(body.toString("utf8")))))];
  return { output, closing: Buffer.from(framing.end), usage, delivered: deliveredAtOnce(deliveredText()) };
}
