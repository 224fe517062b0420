import { encodeJson } from "@uag/untrusted/json/encode";
import { claudeSource } from "../anthropic/provider.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../conversation/fields.ts";
import type { CountCall } from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { inlineMedia } from "../media/inline.ts";

type InlineCall = Pick<CountCall, "body" | "fields" | "media">;

/**
 * A messages request with the content of each URL in its place. One without URLs is returned as it is, so that its
 * body passes unread.
 * @throws {UpstreamFailure} `client` when one cannot be fetched
 */
export async function withInlineSources<Call extends InlineCall>(call: Call, signal: AbortSignal): Promise<Call> {
  const { messages } = call.fields;
  if (!listOf(messages).some((message) => listOf(fieldsOf(message)["content"]).some(hasUrl))) return call;
  const inlined = await Promise.all(
    listOf(messages).map((message, index) => inlineContent(message, `messages.${index}`, { call, signal })),
  );
  const edits = new Map([["messages", await encodeJson(inlined)]]);
  const body = editMembers(call.body, topLevelMembers(call.body), edits);
  return { ...call, body, fields: { ...call.fields, messages: inlined } };
}

function hasUrl(block: unknown): boolean {
  const { source, content } = fieldsOf(block);
  return fieldsOf(source)["type"] === "url" || listOf(content).some(hasUrl);
}

interface Context {
  readonly call: InlineCall;
  readonly signal: AbortSignal;
}

/** A message, or a block that has content, such as the result of a tool. */
async function inlineContent(holder: unknown, param: string, context: Context): Promise<unknown> {
  if (!isFields(holder) || !Array.isArray(holder["content"])) return holder;
  const content = holder["content"].map((block, index) => inlineBlock(block, `${param}.content.${index}`, context));
  return { ...holder, content: await Promise.all(content) };
}

async function inlineBlock(block: unknown, param: string, context: Context): Promise<unknown> {
  const { type, source } = fieldsOf(block);
  const { type: sourceType, url } = fieldsOf(source);
  const kind = type === "image" || type === "document" ? type : undefined;
  if (kind === undefined || sourceType !== "url") return await inlineContent(block, param, context);
  const at = `${param}.source.url`;
  const part = { type: "media", kind, source: { type: "url", url: textOf(url) ?? "" }, title: undefined } as const;
  const found = await inlineMedia({ ...part, param: at }, context.call.media, context.signal);
  return { ...(block as Fields), source: claudeSource({ kind, source: found, param: at }) };
}
