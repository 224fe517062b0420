import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { messageRequest, tokenCountRequest } from "@uag/contract/requests/messages";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import { anthropicServerTools } from "@uag/providers/formats/messages/server-tools";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { checkRefusedFields, hasCostlyField } from "@uag/providers/passed-fields/check";
import { messagesFieldCosts } from "@uag/providers/passed-fields/messages";
import { parseToFault } from "@uag/untrusted/first-fault";
import type { z } from "zod";
import type { GenerationRequest } from "../format.ts";

const modelSchema = messageRequest.pick({ model: true });

/** @throws {GatewayError} `invalid_request` when a body names no model */
export function modelOf(fields: Fields): string {
  return checked(modelSchema, fields).model;
}

/**
 * Checks a messages request. Only null members are removed from its bytes: anything that betas add
 * is between the client and the upstream.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readMessagesRequest(json: JsonBody, model: Model): GenerationRequest {
  const { fields } = json;
  const { max_tokens: outputCap, stream } = checked(messageRequest, fields);
  const body = bytesWithoutNulls(json);
  checkRefusedFields(fields, messagesFieldCosts);
  const serverTools = anthropicServerTools(fields, model);
  return {
    body,
    fields,
    stream: stream === true,
    usageWanted: false,
    candidates: 1,
    outputCap,
    serverTools,
    hasUnclassedField: hasCostlyField(fields, messagesFieldCosts, model),
  };
}

/**
 * The messages keep their bytes, including nulls: the protocol accepts those, and tool arguments
 * may hold numbers that parsing would round.
 */
export function bytesWithoutNulls({ body, fields, sent }: JsonBody): Buffer {
  const edits = new Map<string, string | undefined>();
  for (const [name, value] of Object.entries(sent))
    if (fields[name] !== value && name !== "messages") edits.set(name, JSON.stringify(fields[name]));
  return edits.size === 0 ? body : editMembers(body, topLevelMembers(body), edits);
}

/** @throws {GatewayError} `invalid_request`, naming the field */
export function checkCountRequest(fields: Fields): void {
  checked(tokenCountRequest, fields);
}

function checked<S extends z.ZodType>(schema: S, fields: Fields): z.infer<S> {
  const result = parseToFault(schema, fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.path.map(String).join(".") ?? "";
  throw new GatewayError("invalid_request", `${param}: ${wordsOf(issue)}`, { param });
}

/** The issue in Anthropic's wording: clients match it. */
function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "Invalid request";
  if (issue.message.endsWith("received undefined")) return "Field required";
  switch (issue.code) {
    case "invalid_type":
      return `Input should be a valid ${issue.expected === "array" ? "list" : issue.expected}`;
    case "too_small":
      if (issue.origin === "array") return "at least one message is required";
      return `Input should be greater than or equal to ${issue.minimum}`;
    case "too_big":
      return `Input should be less than or equal to ${issue.maximum}`;
    case "invalid_value":
      if (issue.message.startsWith("Input should")) return issue.message;
      return `Input should be ${issue.values.map((value) => `'${String(value)}'`).join(", ")}`;
    default:
      return issue.message;
  }
}
