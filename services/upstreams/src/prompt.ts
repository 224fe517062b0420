import { countTokens } from "./tokens.ts";

/** What a message or a tool costs beside its text: role and separators (OpenAI's cookbook on counting tokens). */
const tokensPerMessage = 4;
/** A usual picture (1,024 x 1,024 in high detail), for an estimate. */
const tokensPerImage = 765;
/** Audio is 10 tokens a second; a usual second is some 16 KB, 21 KB in base64. */
const audioCharsPerToken = 2_100;

/**
 * An estimate of the prompt's tokens, for a bill when the upstream never reported its own count. Reads any of the request
 * formats: text is text wherever it stands, and pictures and sounds are counted by their kind, not their bytes.
 */
export async function estimatePromptTokens(fields: Readonly<Record<string, unknown>>): Promise<number> {
  const found: Found = { texts: [], tokens: 3 };
  for (const name of ["system", "messages", "contents", "systemInstruction", "tools", "functions", "response_format"]) {
    collect(fields[name], name, found);
  }
  return found.tokens + (await countTokens(found.texts.join("\n")));
}

interface Found {
  readonly texts: string[];
  tokens: number;
}

const media = new Set(["url", "data", "file_data", "file_id", "fileUri"]);

function collect(value: unknown, key: string, found: Found): void {
  if (typeof value === "string") {
    if (key === "data") found.tokens += Math.ceil(value.length / audioCharsPerToken);
    else if (!media.has(key)) found.texts.push(value);
  } else if (Array.isArray(value)) {
    if (key === "messages" || key === "contents") found.tokens += value.length * tokensPerMessage;
    for (const item of value) collect(item, key, found);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === "image_url" || (name === "type" && inner === "image")) found.tokens += tokensPerImage;
      if (key === "tools" || key === "parameters" || key === "properties") found.texts.push(name);
      collect(inner, name, found);
    }
  }
}
