import { countTokens } from "./tokens.ts";

/**
 * Overhead of a message or a tool beyond its text: role and separators (OpenAI's cookbook on
 * counting tokens).
 */
const tokensPerMessage = 4;
/** A typical image (1,024 x 1,024 in high detail), for an estimate. */
const tokensPerImage = 765;
/** Audio is 10 tokens per second; a typical second is some 16 KB, 21 KB in base64. */
const audioCharsPerToken = 2_100;
/** A typical PDF page is 2,000 tokens and 50 KB, 67 KB in base64. */
const fileCharsPerToken = 33;
/** Two bytes of text, as in Chinese, are three characters of base64. */
const sealedCharsPerToken = 3;
const joinedChars = 1024 * 1024;

/** Where the request formats keep what a model reads. */
const promptFields = [
  "system",
  "messages",
  "instructions",
  "input",
  "contents",
  "systemInstruction",
  "tools",
  "functions",
  "response_format",
  "text",
] as const;

/**
 * Estimates the prompt's tokens, for a bill when the upstream never reported usage. Reads any of
 * the request formats: text is counted wherever it occurs, and images and audio by their kind, not
 * their bytes.
 */
export async function estimatePromptTokens(fields: Readonly<Record<string, unknown>>): Promise<number> {
  const found: Found = { texts: [], tokens: 3 };
  for (const name of promptFields) collect(fields[name], name, found);
  return found.tokens + (await countTokens(joined(found.texts)));
}

/** The texts joined line by line, unless copying them would be expensive. */
function joined(texts: readonly string[]): readonly string[] {
  let length = 0;
  for (const text of texts) length += text.length;
  return length > joinedChars ? texts : [texts.join("\n")];
}

interface Found {
  readonly texts: string[];
  tokens: number;
}

const media = new Set(["url", "data", "file_data", "file_id", "fileUri", "image_url", "file_url", "encrypted_content"]);
const conversations = new Set(["messages", "contents", "input"]);

function collect(value: unknown, key: string, found: Found): void {
  if (typeof value === "string") {
    if (key === "data") found.tokens += Math.ceil(value.length / audioCharsPerToken);
    else if (!media.has(key)) found.texts.push(value);
  } else if (Array.isArray(value)) {
    if (conversations.has(key)) found.tokens += value.length * tokensPerMessage;
    for (const item of value) collect(item, key, found);
  } else if (typeof value === "object" && value !== null) {
    const { media_type, data } = value as { media_type?: unknown; data?: unknown };
    if (typeof media_type === "string" && typeof data === "string") {
      collectSource(media_type, data, found);
      return;
    }
    found.tokens += sealedTokens(value);
    for (const [name, inner] of Object.entries(value)) {
      if (name === "image_url" || (name === "type" && inner === "image")) found.tokens += tokensPerImage;
      if (key === "tools" || key === "parameters" || key === "properties") found.texts.push(name);
      collect(inner, name, found);
    }
  }
}

/** An upper bound of the tokens of reasoning that only its provider can read; base64 of UTF-8 and more. */
function sealedTokens(value: object): number {
  const { type, encrypted_content: sealed } = value as { type?: unknown; encrypted_content?: unknown };
  return type === "reasoning" && typeof sealed === "string" ? Math.ceil(sealed.length / sealedCharsPerToken) : 0;
}

/** The source of one of Anthropic's blocks. Images are counted with their block. */
function collectSource(mediaType: string, data: string, found: Found): void {
  if (mediaType.startsWith("text/")) found.texts.push(data);
  else if (!mediaType.startsWith("image/")) found.tokens += Math.ceil(data.length / fileCharsPerToken);
}
