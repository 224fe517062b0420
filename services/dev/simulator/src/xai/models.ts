import type { ChatModel } from "../completions/flavour.ts";

/** One simulated Grok model, beyond its sizes. */
export type GrokModel = ChatModel & {
  /** Reasons, but `reasoning_effort` cannot be set. */
  readonly fixedEffort: boolean;
};

type Shape = Omit<GrokModel, "id" | "respondsAs">;

const imageTokens = { base: 256, tile: 256 };
const plain: Shape = { contextTokens: 131_072, maxOutputTokens: 131_072, fixedEffort: false };
const steered: Shape = {
  contextTokens: 500_000,
  maxOutputTokens: 131_072,
  fixedEffort: false,
  imageTokens,
  efforts: ["low", "medium", "high"],
};
const fixed: Shape = { ...steered, contextTokens: 256_000, fixedEffort: true };

const rows: readonly (readonly [string, string, Shape])[] = [
  ["grok-4.7", "grok-4.7", steered],
  ["grok-4.6", "grok-4.6", steered],
  ["grok-4.5", "grok-4.5", steered],
  ["grok-4.3", "grok-4.3", { ...steered, contextTokens: 1_000_000 }],
  ["grok-4", "grok-4-0709", fixed],
  ["grok-4-0709", "grok-4-0709", fixed],
  ["grok-4-fast-reasoning", "grok-4-fast-reasoning", { ...fixed, contextTokens: 2_000_000 }],
  ["grok-4-fast-non-reasoning", "grok-4-fast-non-reasoning", { ...plain, contextTokens: 2_000_000, imageTokens }],
  ["grok-code-fast-1", "grok-code-fast-1", fixed],
  ["grok-3", "grok-3", plain],
  ["grok-3-mini", "grok-3-mini", { ...plain, efforts: ["low", "high"], defaultEffort: "low" }],
];

const byId = new Map<string, GrokModel>(rows.map(([id, respondsAs, shape]) => [id, { id, respondsAs, ...shape }]));

export function findGrokModel(id: string): GrokModel | undefined {
  return byId.get(id);
}

/** All ids, in the order of the table. */
export function grokModelIds(): string[] {
  return [...byId.keys()];
}
