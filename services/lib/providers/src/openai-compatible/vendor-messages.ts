import { type Fields, fieldsOf, isFields, textOf } from "../conversation/fields.ts";

export interface Vendor {
  /** Supports messages with the role `developer`. */
  readonly developerRole: boolean;
  /** Accepts audio as a web or data URL, in parts of type `input_audio`. */
  readonly audioByUrl: boolean;
}

/**
 * The file extension usually determines the audio format; for other URLs it is guessed, which the vendor
 * does not enforce.
 */
const knownSound = /\.(mp3|wav|amr|aac|m4a|3gp|ogg|opus|flac)(?:[?#]|$)/i;

/**
 * Messages in a form that the vendor supports: `developer` may have to become `system`, audio has
 * one kind of part, and Claude's thinking is removed. Undefined when nothing changes.
 */
export function compatibleMessages(messages: readonly unknown[], vendor: Vendor): unknown[] | undefined {
  const changed = messages.map((message) => compatibleMessage(message, vendor));
  return changed.some((message, index) => message !== messages[index]) ? changed : undefined;
}

function compatibleMessage(sent: unknown, vendor: Vendor): unknown {
  if (!isFields(sent)) return sent;
  const message = withoutThinking(sent);
  const role = message["role"] === "developer" && !vendor.developerRole ? "system" : message["role"];
  const { content } = message;
  const parts = vendor.audioByUrl && Array.isArray(content) ? content.map(audioPartByUrl) : content;
  const same = !Array.isArray(content) || content.every((part, index) => part === (parts as unknown[])[index]);
  return role === message["role"] && same ? message : { ...message, role, content: parts };
}

const thoughts: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/**
 * Removes the thinking of Claude and Gemini, which only its vendor can read, from an assistant
 * message: either next to its content, as we return it, or within it, as in Anthropic's format.
 */
function withoutThinking(message: Fields): Fields {
  const { thinking_blocks: blocks, extra_content: extra, ...others } = message;
  const { role, content } = message;
  const within = role === "assistant" && Array.isArray(content) && content.some(isThought);
  if (blocks === undefined && extra === undefined && !within) return message;
  if (!within) return others;
  const parts = content.filter((part) => !isThought(part));
  return { ...others, content: parts.length > 0 ? parts : "" };
}

/** Mistral's own thinking is a list. */
function isThought(part: unknown): boolean {
  const { type, thinking } = fieldsOf(part);
  return thoughts.has(type) && !Array.isArray(thinking);
}

function audioPartByUrl(part: unknown): unknown {
  const { type, ...fields } = fieldsOf(part);
  if (type === "audio_url") {
    const url = textOf(fieldsOf(fields["audio_url"])["url"]) ?? "";
    return audioByUrl(url);
  }
  const audio = fieldsOf(fields["input_audio"]);
  const data = textOf(audio["data"]);
  if (type !== "input_audio" || data === undefined || /^(https?|data|oss):/i.test(data)) return part;
  return { ...(part as Fields), input_audio: { ...audio, data: `data:;base64,${data}` } };
}

/** @param url a web or data URL */
export function audioByUrl(url: string): Fields {
  return { type: "input_audio", input_audio: { data: url, format: formatOf(url) } };
}

function formatOf(url: string): string {
  const inline = /^data:audio\/([a-z0-9]+)/i.exec(url)?.[1];
  return (inline ?? knownSound.exec(url)?.[1] ?? "mp3").toLowerCase().replace(/^mpeg$/, "mp3");
}
