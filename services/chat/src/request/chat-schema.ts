import { messagesOf, messageWith, reasoningRequest, samplingFields, tool, toolsOf } from "@uag/contract/requests/chat";
import { maxParts } from "@uag/contract/requests/fields";
import { addFault, parseToFault } from "@uag/untrusted/first-fault";
import { z } from "zod";
import { contentPart } from "./parts.ts";

const contentText = z.string({ error: "must be text or a list of content parts" });
const contentParts = z.array(contentPart).min(1).max(maxParts);

/**
 * Its content is checked by hand, for speed: it may be megabytes, which a union would check once
 * for each of its members.
 */
const message = messageWith(z.unknown().optional()).superRefine((value, context) => {
  const fault = (path: string, message: string): void =>
    context.addIssue({ code: "custom", path: [path], message, continue: false });
  const mayBeEmpty = value.role === "assistant" || value.role === "function";
  if (value.content === null || value.content === undefined) {
    if (!mayBeEmpty) fault("content", "is required");
  } else {
    const schema = Array.isArray(value.content) ? contentParts : contentText;
    addFault(context, parseToFault(schema, value.content), ["content"]);
  }
  if (value.role === "tool" && typeof value.tool_call_id !== "string") {
    fault("tool_call_id", "is required for role tool");
  }
});

const functionTool = z.object({ function: z.object({ name: z.string().min(1) }) });

const noTool = "must be an object, or a string that holds one as JSON";

const checkedTool = tool.superRefine((value, context) => {
  if (typeof value === "string") {
    if (parsedTool(value) !== undefined) return;
    context.addIssue({ code: "custom", message: noTool, continue: false });
  } else if (value.type === "function") {
    addFault(context, parseToFault(functionTool, value));
  }
});

/** A tool given as text, or undefined when the text is not a JSON object. */
export function parsedTool(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const reasoningSchema = reasoningRequest.extend({ messages: messagesOf(message), tools: toolsOf(checkedTool) });

type Checked = z.infer<typeof reasoningSchema> & { [F in keyof typeof samplingFields]?: unknown };

function crossChecks(value: Checked, context: z.RefinementCtx): void {
  const fault = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (value.stream_options != null && value.stream !== true) fault("stream_options", "requires stream to be true");
}

/** The request body of `POST /v1/chat/completions`; further fields are left to the upstream. */
export const chatSchema = reasoningSchema.extend(samplingFields).superRefine((value, context) => {
  crossChecks(value, context);
  const fault = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (value.top_logprobs != null && value.logprobs !== true) fault("top_logprobs", "requires logprobs to be true");
  if (value.audio != null && value.modalities?.includes("audio") !== true)
    fault("audio", "requires audio in modalities");
});
