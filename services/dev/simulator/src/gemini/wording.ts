import type { z } from "zod";
import { snakePath } from "./field-names.ts";

/** The validation error in the wording of Google's JSON parser and validator. */
export function geminiWording(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "Request contains an invalid argument.";
  const path = snakePath(issue.path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const place = path === "" ? "" : ` at '${path}'`;
      return `Invalid JSON payload received. Unknown name "${issue.keys[0]}"${place}: Cannot find field.`;
    }
    case "invalid_type":
      if (path === "contents") return "* GenerateContentRequest.contents: contents is not specified\n";
      return `Invalid value at '${path}' (${issue.expected.toUpperCase()})`;
    case "invalid_value":
      return `Invalid value at '${path}', expected one of: ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (path === "contents") return "* GenerateContentRequest.contents: contents is not specified\n";
      return `* GenerateContentRequest.${path}: must be greater than or equal to ${issue.minimum}\n`;
    case "too_big":
      return `* GenerateContentRequest.${path}: must be less than or equal to ${issue.maximum}\n`;
    case "invalid_format":
      return `* GenerateContentRequest.${path}: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n`;
    default:
      return `* GenerateContentRequest.${path}: ${issue.message}\n`;
  }
}
