import { type Random, randomFrom } from "./hash.ts";
import { instanceOf } from "./json-schema.ts";
import { textFor as textForKey } from "./plausible.ts";
import { reasoningOf } from "./prose.ts";
import { replyTo } from "./reply.ts";
import { type Steering, steeringOf, type ToolCall } from "./steer.ts";
import type { Tool, Turn } from "./turn.ts";
import { wordsOf } from "./words.ts";

/** The simulated model's response, before any limit truncates it. */
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
 * After this many tool turns in a row the model responds, unless it is forced to continue: agents
 * must come to an end.
 */
const maxToolTurns = 2;

function callsFor(turn: Turn, steering: Steering): ToolCall[] {
  if (turn.tools.length === 0 || turn.toolChoice === "none") return [];
  if (turn.toolTurns >= maxToolTurns && turn.toolChoice !== "required") return [];
  const known = new Set(turn.tools.map((tool) => tool.name));
  const steered = steering.calls.filter((call) => known.has(call.name));
  if (steered.length > 0) return turn.parallelTools ? steered : steered.slice(0, 1);
  if (turn.toolResults.length > 0 && turn.toolChoice !== "required") return [];
  const wantsText = steering.text !== undefined || steering.words !== undefined || steering.echo !== undefined;
  if (wantsText && turn.toolChoice !== "required") return [];
  let chosen = steering.callAll ? [...turn.tools] : turn.tools.filter((tool) => isNamed(tool, turn.userText));
  if (chosen.length === 0 && turn.toolChoice === "required") chosen = turn.tools.slice(0, 1);
  if (!turn.parallelTools) chosen = chosen.slice(0, 1);
  return chosen.map((tool) => {
    const random = randomFrom(turn.digest, `tool ${tool.name}`);
    const input = instanceOf(tool.schema ?? { type: "object" }, random, turn.userText);
    return { name: tool.name, input: typeof input === "object" && input !== null ? { ...input } : {} };
  });
}

function textFor(turn: Turn, steering: Steering, random: Random): string {
  if (steering.text !== undefined) return steering.text;
  if (steering.words !== undefined) return wordsOf(random, steering.words);
  if (steering.echo !== undefined) return JSON.stringify(turn.echo[steering.echo]);
  if (turn.format.kind === "schema") return JSON.stringify(instanceOf(turn.format.schema, random, turn.userText));
  if (turn.format.kind === "json") return JSON.stringify(objectFor(turn, random));
  return replyTo(turn, random);
}

/** JSON mode has no schema: the prompt names the keys in quotation marks. */
const keyName = /(?<!\w)[`'"](\w{1,64})[`'"](?!\w)/g;

function objectFor(turn: Turn, random: Random): object {
  const prompt = turn.userText.slice(0, 4_000);
  const keys = /\b(?:keys?|fields?)\b/i.test(prompt)
    ? Array.from(prompt.matchAll(keyName), ([, key]) => key ?? "")
    : [];
  const [first = "answer", ...others] = keys;
  const made = others.map((key) => [key, textForKey(key, prompt, random)]);
  return { [first]: replyTo(turn, random), ...Object.fromEntries(made) };
}

/** Decides the response. Deterministic for the same turn. */
export function planResponse(turn: Turn): Plan {
  const steering = steeringOf(turn.userText);
  const random = randomFrom(turn.digest, "answer");
  const reasoningTokens = turn.reasoningTokens === 0 ? 0 : (steering.think ?? turn.reasoningTokens);
  const calls = steering.refuse === undefined ? callsFor(turn, steering) : [];
  const silent = steering.refuse !== undefined || (calls.length > 0 && steering.text === undefined);
  return {
    reasoning: reasoningOf(randomFrom(turn.digest, "reasoning"), reasoningTokens),
    text: silent ? "" : textFor(turn, steering, random),
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

/** Reasoning tokens per effort level; unknown levels cost as much as medium. */
export function reasoningTokensFor(effort: string | undefined): number {
  return tokensByEffort[effort ?? "medium"] ?? 64;
}
