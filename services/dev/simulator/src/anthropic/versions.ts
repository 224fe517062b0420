import type { IncomingHttpHeaders } from "node:http";
import { messagesSchema, otherAnthropicFields } from "./schema.ts";

const versions = ["2023-06-01", "2026-10-21"] as const;
export type ApiVersion = (typeof versions)[number];

const samplingFields = ["temperature", "top_p", "top_k"] as const;

/** The version in a request's headers, or an error message. */
export function versionOf(headers: IncomingHttpHeaders): { version: ApiVersion } | { error: string } {
  const given = headers["anthropic-version"];
  if (given === undefined || given === "") return { error: "anthropic-version: header is required" };
  const version = versions.find((known) => known === given);
  return version === undefined ? { error: `anthropic-version: "${given}" is not a valid version` } : { version };
}

/**
 * The first top-level field that the version does not accept. Sampling fields are removed in
 * 2026-10-21. Unknown fields require a beta: `context_management` its own, others any.
 */
export function extraField(body: object, version: ApiVersion, headers: IncomingHttpHeaders): string | undefined {
  const betas = String(headers["anthropic-beta"] ?? "");
  return Object.keys(body).find((field) => {
    if (version === "2026-10-21" && samplingFields.some((name) => name === field)) return true;
    if (field in messagesSchema.shape || otherAnthropicFields.has(field)) return false;
    return field === "context_management" ? !betas.includes("context-management") : betas === "";
  });
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/**
 * Content that 2026-10-21 no longer accepts in messages: assistant documents, and citations in user
 * text.
 */
export function removedContent(body: object, version: ApiVersion): string | undefined {
  if (version !== "2026-10-21") return undefined;
  for (const [i, message] of listOf(field(body, "messages")).entries()) {
    for (const [j, block] of listOf(field(message, "content")).entries()) {
      const where = `messages.${i}.content.${j}`;
      const isDocument = field(block, "type") === "document";
      if (isDocument && field(message, "role") === "assistant") {
        return `${where}: \`document\` blocks are not permitted in assistant messages`;
      }
      if (field(message, "role") !== "user") continue;
      const texts = field(block, "type") === "search_result" ? listOf(field(block, "content")) : [block];
      const cites = texts.some((text) => field(text, "type") === "text" && isFilledList(field(text, "citations")));
      if (cites) return `${where}.citations: Extra inputs are not permitted`;
    }
  }
  return undefined;
}
