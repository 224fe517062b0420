import type { Upstream } from "@uag/catalog/types";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { claudeGeneration } from "../anthropic/provider.ts";
import { fieldsOf, isFields, parsedJson, textOf } from "../conversation/fields.ts";
import { withEditedCalls } from "../edited-calls.ts";
import { unusableResponse } from "../failure.ts";
import type { UpstreamCall } from "../generation.ts";
import type { HttpResponse } from "../http/call.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { withInlineMedia } from "../media/inline.ts";
import type { TextGeneration } from "../provider.ts";
import { eventFault } from "../response-limits.ts";
import { bedrockFailure, failureIn } from "./errors.ts";
import type { EventMessage } from "./event-stream.ts";
import { withInlineSources } from "./inline-sources.ts";
import { unframed } from "./unframed.ts";

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html */
const version = "bedrock-2023-05-31";

/** The model and whether it streams are in the path; the version and beta features are in the body. */
function placed(call: UpstreamCall, { model }: Upstream, streams: boolean): UpstreamCall {
  const path = `/model/${encodeURIComponent(model)}/${streams ? "invoke-with-response-stream" : "invoke"}`;
  return { ...invoking(call), path };
}

/** The headers and the body of InvokeModel. */
export function invoking(call: UpstreamCall): UpstreamCall {
  const { headers, betas } = movedHeaders(call.headers);
  const edits = new Map([
    ["model", undefined],
    ["stream", undefined],
    ["anthropic_version", JSON.stringify(version)],
    ...(betas.length === 0 ? [] : [["anthropic_beta", JSON.stringify(betas)] as const]),
  ]);
  return { ...call, headers, body: editMembers(call.body, topLevelMembers(call.body), edits) };
}

/** A key of Bedrock is a bearer token; of Anthropic's headers the body has the betas. */
function movedHeaders(all: readonly string[]): { headers: string[]; betas: string[] } {
  const headers: string[] = [];
  const betas: string[] = [];
  for (let at = 0; at < all.length; at += 2) {
    const [name = "", value = ""] = all.slice(at, at + 2);
    if (name === "anthropic-beta") betas.push(...value.split(",").map((beta) => beta.trim()));
    else if (name === "x-api-key") headers.push("authorization", `Bearer ${value}`);
    else if (!name.startsWith("anthropic-")) headers.push(name, value);
  }
  return { headers, betas: betas.filter((beta) => beta !== "") };
}

/** An event of Claude's is in a member of its message, in base64; Bedrock adds its own measurements to the last one. */
function asSse(message: EventMessage, upstream: Upstream): string {
  const failure = failureIn(message, upstream);
  if (failure !== undefined) throw failure;
  if (message.headers.get(":event-type") !== "chunk") return "";
  const bytes = textOf(fieldsOf(parsed(message.payload))["bytes"]);
  const event = bytes === undefined ? undefined : parsed(Buffer.from(bytes, "base64"));
  if (!isFields(event)) throw unusableResponse("the upstream sent an event that is not a JSON object");
  const { "amazon-bedrock-invocationMetrics": _, ...own } = event;
  return encodeSse({ name: String(event["type"]).replace(/\W/g, ""), data: JSON.stringify(own) }).toString();
}

function parsed(json: Buffer): unknown {
  const fault = eventFault(json);
  if (fault !== undefined) throw fault;
  return parsedJson(json.toString("utf8"));
}

const placedGeneration = withEditedCalls(claudeGeneration, (call, upstream, { stream }) =>
  placed(call, upstream, call.stream ?? stream),
);
const own = {
  failureOf: bedrockFailure,
  unframed: (response: HttpResponse, upstream: Upstream) => unframed(response, (message) => asSse(message, upstream)),
};

const { adapter, protocol } = placedGeneration;

/**
 * Claude at Amazon Bedrock, by InvokeModel, which passes Anthropic's own protocol. It does not fetch
 * URLs: they are fetched here.
 */
export const bedrockClaude: TextGeneration = {
  ...placedGeneration,
  adapter: {
    ...adapter,
    ...own,
    encode: async (call, upstream, signal) => adapter.encode(await withInlineSources(call, signal), upstream, signal),
  },
  protocol: {
    ...protocol,
    ...own,
    encode: async (conversation, call, upstream, signal) =>
      protocol.encode(await withInlineMedia(conversation, call.media, signal), call, upstream, signal),
  },
};
