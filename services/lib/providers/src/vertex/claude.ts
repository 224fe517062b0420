import type { Upstream } from "@uag/catalog/types";
import { claudeGeneration } from "../anthropic/provider.ts";
import { fieldsOf, parsedJson } from "../conversation/fields.ts";
import { withEditedCalls } from "../edited-calls.ts";
import type { UpstreamFailure } from "../failure.ts";
import { geminiGeneration } from "../gemini/provider.ts";
import type { BadResponse, GenerationCall, UpstreamCall } from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import type { TextGeneration } from "../provider.ts";

/** https://docs.claude.com/en/api/claude-on-vertex-ai */
const version = "vertex-2023-10-16";

/** The model is in the path, and the version in the body. */
function placed(call: UpstreamCall, { model }: Upstream, generation: GenerationCall): UpstreamCall {
  const { stream = generation.stream } = call;
  const edits = new Map([
    ["model", undefined],
    ["anthropic_version", JSON.stringify(version)],
  ]);
  return {
    ...call,
    path: `/publishers/anthropic/models/${encodeURIComponent(model)}:${stream ? "streamRawPredict" : "rawPredict"}`,
    headers: vertexHeaders(call.headers),
    body: editMembers(call.body, topLevelMembers(call.body), edits),
  };
}

/** Google's name of the key's header, and no version, which the body has. */
function vertexHeaders(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) => {
    if (index % 2 === 1 || name === "anthropic-version") return [];
    return [name === "x-api-key" ? "x-goog-api-key" : name, headers[index + 1] ?? ""];
  });
}

/** Errors of the platform are in Google's form, those of the model in Anthropic's. */
function failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const isClaudes = fieldsOf(parsedJson(response.body.toString("utf8")))["type"] === "error";
  const { protocol } = isClaudes ? claudeGeneration : geminiGeneration;
  return protocol.failureOf(response, upstream);
}

const placedGeneration = withEditedCalls(claudeGeneration, placed);

/** Claude at Vertex AI. */
export const vertexClaude: TextGeneration = {
  ...placedGeneration,
  adapter: { ...placedGeneration.adapter, failureOf },
  protocol: { ...placedGeneration.protocol, failureOf },
};
