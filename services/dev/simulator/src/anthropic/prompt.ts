import { decodeBase64 } from "../content/data-url.ts";
import { canonicalJson, hashOf } from "../content/hash.ts";
import { imageInfo } from "../content/image-size.ts";
import type { Prefix } from "../content/prefix-cache.ts";
import { countTokens } from "../content/tokens.ts";
import type { CacheControl, CountRequest, MessageBlock } from "./schema.ts";

/** The end of one block of a prompt; marked when the client wants the prompt cached up to here. */
type PromptStep = Prefix & { readonly mark: "5m" | "1h" | undefined };

/** A prompt in the cache's order: tools, system, messages. */
export interface Prompt {
  readonly tokens: number;
  readonly steps: readonly PromptStep[];
}

const perMessage = 3;
/** The beginning of the model's own turn, after everything that can be cached. */
const ownTurn = 3;
const tokensPerPage = 1500;
const maxImage = 1600;
const unknownImage = 1568;

function imageTokens(data: string | undefined): number {
  const info = data === undefined ? undefined : imageInfo(decodeBase64(data) ?? Buffer.alloc(0));
  if (info === undefined) return unknownImage;
  return Math.max(1, Math.min(maxImage, Math.ceil((info.width * info.height) / 750)));
}

function pagesOf(data: string): number {
  const text = Buffer.from(data, "base64").toString("latin1");
  return Math.max(1, text.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0);
}

function documentTokens(source: Extract<MessageBlock, { type: "document" }>["source"]): number {
  if (source.type === "text") return countTokens(source.data);
  if (source.type === "content") return countTokens(JSON.stringify(source.content));
  return tokensPerPage * (source.type === "base64" ? pagesOf(source.data) : 1);
}

function nestedTokens(content: Extract<MessageBlock, { type: "tool_result" }>["content"]): number {
  if (content === undefined || typeof content === "string") return countTokens(content ?? "");
  return content.reduce((sum, item) => {
    if (item.type === "image") return sum + unknownImage;
    return sum + (typeof item["text"] === "string" ? countTokens(item["text"]) : countTokens(JSON.stringify(item)));
  }, 0);
}

function blockTokens(block: MessageBlock): number {
  switch (block.type) {
    case "text":
      return countTokens(block.text);
    case "image":
      return imageTokens(block.source.type === "base64" ? block.source.data : undefined);
    case "document":
      return documentTokens(block.source);
    case "tool_use":
      return perMessage + countTokens(block.name) + countTokens(JSON.stringify(block.input));
    case "tool_result":
      return perMessage + nestedTokens(block.content);
    case "thinking":
      return countTokens(block.thinking);
    case "redacted_thinking":
      return Math.ceil(block.data.length / 4);
    default:
      return countTokens(JSON.stringify(block));
  }
}

function markOf(control: CacheControl | undefined): PromptStep["mark"] {
  return control ? (control.ttl ?? "5m") : undefined;
}

function controlOf(block: MessageBlock): CacheControl {
  return block.type === "thinking" || block.type === "redacted_thinking" ? undefined : block.cache_control;
}

function withoutMark(value: object): unknown {
  return { ...value, cache_control: undefined };
}

/**
 * Counts a prompt: 3 tokens per message and for the model's own turn, text by o200k, an image by
 * its area / 750 (at most 1,600; 1,568 when its size is unknown), a PDF 1,500 per page, tools and
 * schemas as their JSON. `owner` separates the caches of different keys and models.
 */
export function promptOf(request: CountRequest, owner: string): Prompt {
  const steps: PromptStep[] = [];
  let digest = hashOf(owner);
  let tokens = 0;
  const step = (part: unknown, cost: number, control?: CacheControl) => {
    digest = hashOf(digest, canonicalJson(part));
    tokens += cost;
    steps.push({ digest, tokens, mark: markOf(control) });
  };
  for (const tool of request.tools ?? []) {
    step(withoutMark(tool), countTokens(JSON.stringify(withoutMark(tool))), tool.cache_control);
  }
  const { system = [] } = request;
  if (typeof system === "string") step(system, countTokens(system));
  else for (const block of system) step(block.text, countTokens(block.text), block.cache_control);
  for (const { role, content } of request.messages) {
    tokens += perMessage;
    if (typeof content === "string") step([role, content], countTokens(content));
    else for (const block of content) step([role, withoutMark(block)], blockTokens(block), controlOf(block));
  }
  const format = request.output_config?.format;
  const last = steps.pop();
  if (last !== undefined) {
    tokens += format ? countTokens(JSON.stringify(format.schema)) : 0;
    steps.push({ ...last, tokens, mark: last.mark ?? markOf(request.cache_control) });
  }
  return { tokens: tokens + ownTurn, steps };
}
