import type { Upstream } from "@uag/catalog/types";
import { isUnpricedCache } from "../../formats/openai-options.ts";
import type { GenerationCall, UpstreamCall } from "../../generation.ts";
import { editMembers, topLevelMembers } from "../../json-edit.ts";
import { providerHeaders } from "../request.ts";
import { ownInput } from "./input.ts";

/** Tiers with the standard price. */
const standardTiers: ReadonlySet<unknown> = new Set([undefined, "auto", "default"]);

/**
 * The client's bytes, with only the changes that this upstream and the hold require.
 * @throws {UpstreamFailure} `client` for content that is stored at the provider
 */
export function encodeResponses(call: GenerationCall, upstream: Upstream): UpstreamCall {
  const { body, fields } = call;
  const stream = call.stream || call.model.streamOnly;
  const members = topLevelMembers(body);
  const edits = new Map<string, string | Buffer | undefined>();
  if (upstream.model !== fields["model"]) edits.set("model", JSON.stringify(upstream.model));
  if (fields["store"] !== false) edits.set("store", "false");
  if (stream && !call.stream) edits.set("stream", "true");
  if (call.outputCap !== undefined) edits.set("max_output_tokens", String(call.outputCap));
  if (call.maxUses !== undefined) edits.set("max_tool_calls", String(call.maxUses));
  if (!standardTiers.has(fields["service_tier"])) edits.set("service_tier", undefined);
  if (isUnpricedCache(fields["prompt_cache_options"])) edits.set("prompt_cache_options", undefined);
  const input = ownInput(body, fields);
  if (input !== undefined) edits.set("input", input);
  return {
    path: "/responses",
    headers: [...providerHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: editMembers(body, members, edits),
    stream,
  };
}
