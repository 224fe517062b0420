import type { Ask, Tool } from "./ask.ts";
import { type Random, randomFrom } from "./hash.ts";
import { instanceOf } from "./json-schema.ts";
import { reasoningOf } from "./prose.ts";
import { replyTo } from "./reply.ts";
import { type Steering, steeringOf, type ToolCall } from "./steer.ts";
import { wordsOf } from "./words.ts";

/** What the simulated model is going to answer, before any limit cuts it. */
export interface Plan {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly refusal: string | undefined;
  readonly filtered: boolean;
}

function nameParts(toolName: string): string[] {
  const parts = toolName
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return parts.filter((part) => part.length >= 4);
}

function isNamed(tool: Tool, message: string): boolean {
  const words = new Set(message.toLowerCase().split(/[^a-z0-9]+/));
  return nameParts(tool.name).some((part) => words.has(part));
}

/**
 * A model that has called tools so often in a row answers, unless it is forced to go on: agents
 * must come to an end.
 */
const maxToolTurns = 2;

function callsFor(ask: Ask, steering: Steering): ToolCall[] {
  if (ask.tools.length === 0 || ask.toolChoice === "none") return [];
  if (ask.toolTurns >= maxToolTurns && ask.toolChoice !== "required") return [];
  const known = new Set(ask.tools.map((tool) => tool.name));
  const steered = steering.calls.filter((call) => known.has(call.name));
  if (steered.length > 0) return ask.parallelTools ? steered : steered.slice(0, 1);
  if (ask.toolResults.length > 0 && ask.toolChoice !== "required") return [];
  const wantsText = steering.say !== undefined || steering.words !== undefined || steering.echo !== undefined;
  if (wantsText && ask.toolChoice !== "required") return [];
  let chosen = steering.callAll ? [...ask.tools] : ask.tools.filter((tool) => isNamed(tool, ask.userText));
  if (chosen.length === 0 && ask.toolChoice === "required") chosen = ask.tools.slice(0, 1);
  if (!ask.parallelTools) chosen = chosen.slice(0, 1);
  return chosen.map((tool) => {
    const random = randomFrom(ask.digest, `tool ${tool.name}`);
    const input = instanceOf(tool.schema ?? { type: "object" }, random, ask.userText);
    return { name: tool.name, input: typeof input === "object" && input !== null ? { ...input } : {} };
  });
}

function textFor(ask: Ask, steering: Steering, random: Random): string {
  if (steering.say !== undefined) return steering.say;
  if (steering.words !== undefined) return wordsOf(random, steering.words);
  if (steering.echo !== undefined) return JSON.stringify(ask.echo[steering.echo]);
  if (ask.format.kind === "schema") return JSON.stringify(instanceOf(ask.format.schema, random, ask.userText));
  if (ask.format.kind === "json") return JSON.stringify({ answer: replyTo(ask, random) });
  return replyTo(ask, random);
}

/** Decides the answer. The same ask always gets the same plan. */
export function planResponse(ask: Ask): Plan {
  const steering = steeringOf(ask.userText);
  const random = randomFrom(ask.digest, "answer");
  const reasoningTokens = ask.reasoningTokens === 0 ? 0 : (steering.think ?? ask.reasoningTokens);
  const calls = steering.refuse === undefined ? callsFor(ask, steering) : [];
  const silent = steering.refuse !== undefined || (calls.length > 0 && steering.say === undefined);
  return {
    reasoning: reasoningOf(randomFrom(ask.digest, "reasoning"), reasoningTokens),
    text: silent ? "" : textFor(ask, steering, random),
    calls,
    refusal: steering.refuse,
    filtered: steering.filtered,
  };
}

const tokensByEffort: Record<string, number> = {
  none: 0,
  minimal: 0,
  low: 8,
  medium: 64,
  high: 256,
  xhigh: 512,
  max: 1024,
};

/** Tokens of reasoning that an effort level costs; unknown levels cost as much as medium. */
export function reasoningTokensFor(effort: string | undefined): number {
  return tokensByEffort[effort ?? "medium"] ?? 64;
}
