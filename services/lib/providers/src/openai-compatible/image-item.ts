import { fieldsOf, textOf } from "../conversation/fields.ts";
import type { ImageItem } from "../images/types.ts";

/** `{b64_json | url, revised_prompt, size}`, as used by OpenAI and compatible vendors. */
export function itemOf(value: unknown, mediaType: string | undefined): ImageItem[] {
  const item = fieldsOf(value);
  const more = { revisedPrompt: textOf(item["revised_prompt"]), size: textOf(item["size"]) };
  const base64 = textOf(item["b64_json"]);
  if (base64) return [{ kind: "inline", base64, mediaType, ...more }];
  const url = textOf(item["url"]);
  return url ? [{ kind: "url", url, ...more }] : [];
}
