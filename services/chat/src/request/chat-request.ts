import type { Model } from "@uag/catalog/types";
import { chatRequest, samplingFields } from "@uag/contract/requests/chat";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import { fieldsOf, listOf } from "@uag/providers/conversation/fields";
import { openAiServerTools } from "@uag/providers/formats/chat/server-tools";
import { isUnpricedCache } from "@uag/providers/formats/openai-options";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { chatFieldCosts } from "@uag/providers/passed-fields/chat";
import { checkRefusedFields, hasCostlyField } from "@uag/providers/passed-fields/check";
import { chatTakesSampling } from "@uag/providers/reasoning";
import { checked } from "@uag/untrusted/schema-fault";
import type { GenerationRequest } from "../format.ts";
import { chatSchema, parsedTool } from "./chat-schema.ts";
import { without } from "./without.ts";

/** Valid choices other than a tool's name. */
const choiceWords: ReadonlySet<string> = new Set(["auto", "none", "required"]);

const modelSchema = chatRequest.pick({ model: true });

/** @throws {GatewayError} `invalid_request` when a body names no model */
export function modelOf(fields: Fields): string {
  return checked(modelSchema, fields).model;
}

/**
 * Checks a chat request against the contract. Sampling fields that have no effect on a reasoning
 * model are neither checked nor passed on: upstreams refuse them.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readChatRequest(json: JsonBody, model: Model): GenerationRequest {
  const takes = chatTakesSampling(model.reasoning, json.fields["reasoning_effort"]);
  const dropped = Object.keys(samplingFields).filter((name) => !takes(name));
  const requested = checked(chatSchema, without(json.fields, dropped));
  const { stream, stream_options, n, max_tokens, max_completion_tokens } = requested;
  const request = normalized(json, dropped);
  checkRefusedFields(request.fields, chatFieldCosts);
  return {
    ...request,
    serverTools: openAiServerTools(request.fields),
    hasUnclassedField: hasCostlyField(request.fields, chatFieldCosts, model),
    stream: stream === true,
    usageWanted: stream_options?.include_usage === true,
    candidates: n ?? 1,
    outputCap: largerOf(max_completion_tokens, max_tokens),
  };
}

/** The larger cap: which of two a provider heeds is not known. */
function largerOf(...caps: (number | null | undefined)[]): number | undefined {
  const given = caps.filter((cap) => cap != null);
  return given.length === 0 ? undefined : Math.max(...given);
}

/**
 * The request in a form that every upstream accepts; the same bytes when nothing needs to change.
 */
function normalized({ body, fields, sent }: JsonBody, dropped: readonly string[]): { body: Buffer; fields: Fields } {
  const edits = new Map<string, string | undefined>();
  if (sent !== fields)
    for (const name of Object.keys(sent))
      if (fields[name] !== sent[name]) edits.set(name, JSON.stringify(fields[name]));
  for (const name of dropped) if (name in fields) edits.set(name, undefined);
  // Tiers other than the standard one have prices of their own, which are not in the catalogue.
  const tier = fields["service_tier"];
  if (tier !== undefined && tier !== "default" && tier !== "auto") edits.set("service_tier", undefined);
  if (isUnpricedCache(fields["prompt_cache_options"])) edits.set("prompt_cache_options", undefined);
  const tools = fields["tools"];
  if (Array.isArray(tools) && tools.some((tool) => typeof tool === "string")) {
    edits.set("tools", `[${tools.map((tool) => (typeof tool === "string" ? tool : JSON.stringify(tool))).join(",")}]`);
  }
  const choice = namedChoice(fields);
  if (choice !== undefined) edits.set("tool_choice", JSON.stringify(choice));
  if (edits.size === 0) return { body, fields };
  const copy: Record<string, unknown> = { ...fields };
  for (const [name, text] of edits) {
    if (text === undefined) delete copy[name];
    else copy[name] = JSON.parse(text);
  }
  return { body: editMembers(body, topLevelMembers(body), edits), fields: copy };
}

/** The tool choice given as a bare name, in the form of OpenAI's protocol. */
function namedChoice({ tool_choice: name, tools }: Fields): object | undefined {
  if (typeof name !== "string" || choiceWords.has(name)) return undefined;
  for (const listed of listOf(tools)) {
    const tool = fieldsOf(typeof listed === "string" ? parsedTool(listed) : listed);
    for (const type of ["function", "custom"])
      if (fieldsOf(tool[type])["name"] === name) return { type, [type]: { name } };
  }
  return undefined;
}
