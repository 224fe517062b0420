import { toolTurnsOf, withoutReminders } from "../../content/conversation.ts";
import { canonicalJson, hashOf } from "../../content/hash.ts";
import type { Prefix } from "../../content/prefix-cache.ts";
import { countTokens } from "../../content/tokens.ts";
import type { Tool, Turn } from "../../content/turn.ts";
import type { Call } from "../../http/types.ts";
import type { ConverseMessage, ConverseRequest } from "./schema.ts";

const mediaTokens = 1_600;

const textsIn = ({ content }: ConverseMessage): string[] => content.flatMap(({ text }) => text ?? []);

function toolsOf({ toolConfig }: ConverseRequest): Tool[] {
  const { tools = [], toolChoice } = toolConfig ?? {};
  const all = tools.map(({ toolSpec }) => ({ name: toolSpec.name, schema: toolSpec.inputSchema.json }));
  if (toolChoice === undefined || !("tool" in toolChoice)) return all;
  return all.filter(({ name }) => name === toolChoice.tool.name);
}

const beforeSchema = "JSON schema is: ";

/** A schema at the end of the instructions, as a model would follow it. */
function formatOf({ system = [] }: ConverseRequest): Turn["format"] {
  const instructions = system.flatMap((block) => ("text" in block ? block.text : [])).at(-1) ?? "";
  const at = instructions.indexOf(beforeSchema);
  const schema = at < 0 ? undefined : objectIn(instructions.slice(at + beforeSchema.length));
  if (schema !== undefined) return { kind: "schema", schema };
  return { kind: instructions.includes("one JSON object only") ? "json" : "text" };
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts a Converse request to a turn. */
export function turnOf(call: Call, request: ConverseRequest): Turn {
  const last = request.messages.at(-1);
  const byUser = last?.role === "user" ? last : undefined;
  const count = (kind: "image" | "video" | "document"): number =>
    byUser?.content.filter((block) => block[kind] !== undefined).length ?? 0;
  const choice = request.toolConfig?.toolChoice;
  return {
    digest: call.digest,
    provider: "bedrock",
    model: call.model ?? "",
    userText: byUser === undefined ? "" : withoutReminders(textsIn(byUser).join("\n")),
    seen: { images: count("image"), sounds: 0, videos: count("video"), files: count("document") },
    system: request.system !== undefined,
    toolTurns: toolTurnsOf(
      request.messages.map(({ role, content }) => ({
        byModel: role === "assistant",
        callsTools: content.some(({ toolUse }) => toolUse !== undefined),
      })),
    ),
    toolResults:
      byUser?.content.flatMap(({ toolResult }) =>
        toolResult ? [toolResult.content.map(({ text = "" }) => text).join("")] : [],
      ) ?? [],
    tools: toolsOf(request),
    toolChoice: choice !== undefined && !("auto" in choice) ? "required" : "auto",
    parallelTools: true,
    format: formatOf(request),
    reasoningTokens: 0,
    echo: { body: call.body, headers: call.shownHeaders },
  };
}

/** A prompt up to the end of one of its blocks. */
export interface PromptStep extends Prefix {
  /** Whether a cache point follows. */
  readonly marked: boolean;
}

/**
 * Counts a prompt in the cache's order, tools, system, messages: text by o200k, tools and their calls as JSON, 4 tokens
 * a message, 1,600 for each medium.
 */
export function promptSteps({ messages, system = [], toolConfig }: ConverseRequest): PromptStep[] {
  const blocks = messages.flatMap(({ role, content }) =>
    content.map((block, at) => ({ block, role, first: at === 0 })),
  );
  const all: readonly { block: Partial<ConverseMessage["content"][number]>; first?: boolean }[] = [
    ...(toolConfig === undefined ? [] : [{ block: { text: JSON.stringify(toolConfig) } }]),
    ...system.map((block) => ({ block })),
    ...blocks,
  ];
  const steps: PromptStep[] = [];
  for (const each of all) {
    const last = steps.at(-1) ?? { digest: "", tokens: 0, marked: false };
    if (each.block.cachePoint !== undefined) steps.push({ ...last, marked: true });
    else {
      const tokens = last.tokens + tokensOf(each.block) + (each.first === true ? 4 : 0);
      steps.push({ digest: hashOf(last.digest, canonicalJson(each)), tokens, marked: false });
    }
  }
  return steps;
}

function tokensOf(block: Partial<ConverseMessage["content"][number]>): number {
  if (block.image ?? block.video ?? block.document) return mediaTokens;
  return countTokens(block.text ?? JSON.stringify(block.toolUse ?? block.toolResult ?? ""));
}
