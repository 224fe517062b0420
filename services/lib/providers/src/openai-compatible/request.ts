import type { Model, Provider, Upstream } from "@uag/catalog/types";
import { bearerOf } from "../bearer.ts";
import { fieldsOf, listOf, textOf } from "../conversation/fields.ts";
import type { GenerationCall, UpstreamCall } from "../generation.ts";
import { editMembers, type Member, topLevelMembers } from "../json-edit.ts";
import type { OpenAiVariant } from "./variant.ts";
import { compatibleMessages, type Vendor } from "./vendor-messages.ts";

const capFields = ["max_tokens", "max_completion_tokens"] as const;

/** The client's bytes, with only the changes this upstream requires. */
export function encodeChat(call: GenerationCall, upstream: Upstream, variant: OpenAiVariant): UpstreamCall {
  const members = topLevelMembers(call.body);
  const edits = new Map<string, string | undefined>();
  if (upstream.model !== call.fields["model"]) edits.set("model", JSON.stringify(upstream.model));
  const stream = call.stream || call.model.streamOnly;
  if (stream && !call.stream) edits.set("stream", "true");
  if (stream) requestUsage(edits, call, members);
  setOutputCap(edits, call, { members, field: capFieldOf(call.model, upstream.provider) });
  if (!variant.takesRequired) nameOnlyTool(edits, call);
  setMessages(edits, call, { developerRole: upstream.provider.developerRole, audioByUrl: variant.audioByUrl });
  for (const field of upstream.provider.unsupportedFields ?? []) edits.set(field, undefined);
  return {
    path: variant.path,
    headers: [...providerHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: editMembers(call.body, members, edits),
    stream,
  };
}

function requestUsage(edits: Map<string, string | undefined>, call: GenerationCall, members: readonly Member[]): void {
  if (call.usageWanted) return;
  const bytes = rawValue(call.body, members, "stream_options");
  if (bytes === undefined || bytes[0] !== 123) {
    edits.set("stream_options", '{"include_usage":true}');
    return;
  }
  const inner = editMembers(bytes, topLevelMembers(bytes), new Map([["include_usage", "true"]]));
  edits.set("stream_options", inner.toString("utf8"));
}

/** Replaces `required` by naming the tool if there is only one, which every vendor supports. */
function nameOnlyTool(edits: Map<string, string | undefined>, { fields }: GenerationCall): void {
  const tools = listOf(fields["tools"]);
  if (fields["tool_choice"] !== "required" || tools.length !== 1 || fields["enable_thinking"] === true) return;
  const name = textOf(fieldsOf(fieldsOf(tools[0])["function"])["name"]);
  if (name !== undefined) edits.set("tool_choice", JSON.stringify({ type: "function", function: { name } }));
}

function setMessages(edits: Map<string, string | undefined>, { fields }: GenerationCall, vendor: Vendor): void {
  const messages = compatibleMessages(listOf(fields["messages"]), vendor);
  if (messages !== undefined) edits.set("messages", JSON.stringify(messages));
}

/** The only name under which an upstream accepts the output cap; undefined: the client's. */
export function capFieldOf({ outputCapField }: Model, { unsupportedFields }: Provider): Model["outputCapField"] {
  return unsupportedFields?.has("max_completion_tokens") ? "max_tokens" : outputCapField;
}

/** Sends the cap under the name that the upstream accepts, and lowers it if the call says so. */
function setOutputCap(
  edits: Map<string, string | undefined>,
  call: GenerationCall,
  { members, field: outputCapField }: { members: readonly Member[]; field: Model["outputCapField"] },
): void {
  if (outputCapField === undefined && call.outputCap === undefined) return;
  const newest = rawValue(call.body, members, "max_completion_tokens")?.toString("latin1");
  const requested =
    newest === undefined || newest === "null" ? rawValue(call.body, members, "max_tokens")?.toString("latin1") : newest;
  const cap = call.outputCap === undefined ? requested : String(call.outputCap);
  if (cap === undefined || cap === "null") return;
  const field = outputCapField ?? (newest === undefined ? "max_tokens" : "max_completion_tokens");
  for (const name of capFields) edits.set(name, name === field ? cap : undefined);
}

function rawValue(body: Buffer, members: readonly Member[], key: string): Buffer | undefined {
  const member = members.findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : body.subarray(member.valueStart, member.end);
}

const headersOf = new WeakMap<Provider, readonly string[]>();

export function providerHeaders(provider: Provider): readonly string[] {
  let headers = headersOf.get(provider);
  if (headers === undefined) {
    headers = [
      ...bearerOf(provider),
      "content-type",
      "application/json",
      "accept-encoding",
      "identity",
      ...provider.headers,
    ];
    headersOf.set(provider, headers);
  }
  return headers;
}
