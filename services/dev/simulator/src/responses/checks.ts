import type { ApiError } from "../completions/flavour.ts";
import type { ResponsesRequest } from "./schema.ts";
import { openReasoning } from "./sealed.ts";

const bad = (message: string, param: string | null, code: string | null = null, status = 400): ApiError => ({
  status,
  message,
  param,
  code,
});

const missing = (id: string, param: string): ApiError =>
  bad(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param,
    null,
    404,
  );

/** The first rule about stored and sealed items that a request breaks. */
export function brokenItem({ input }: ResponsesRequest): ApiError | undefined {
  if (typeof input === "string") return undefined;
  for (const item of input) {
    if (item.type === "item_reference") return missing(item.id, "input");
    if (item.type !== "reasoning") continue;
    if (item.encrypted_content == null) return missing(item.id ?? "", "input");
    if (openReasoning(item.encrypted_content) === undefined)
      return bad(
        `The encrypted content for item ${item.id ?? ""} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        null,
        "invalid_encrypted_content",
      );
  }
  return undefined;
}

/** How the Responses API names a field of chat completions. */
const names: readonly (readonly [RegExp, string])[] = [
  [/response_format\.json_schema/g, "text.format"],
  [/response_format/g, "text.format"],
  [/reasoning_effort/g, "reasoning.effort"],
  [/max_completion_tokens/g, "max_output_tokens"],
  [/messages/g, "input"],
];

const renamed = (text: string): string => names.reduce((sum, [from, to]) => sum.replaceAll(from, to), text);

/** An error about a chat request's field in the names of the Responses API. */
export const inResponsesNames = (error: ApiError): ApiError => ({
  ...error,
  message: renamed(error.message),
  ...(typeof error.param === "string" && { param: renamed(error.param) }),
});
