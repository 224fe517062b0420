/** One simulated Anthropic model. */
export interface AnthropicModel {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** `budget`: thinking by token budget; `adaptive`: the model decides. */
  readonly thinking: readonly ("budget" | "adaptive")[];
  /** Always thinks, and thinking cannot be turned off. */
  readonly alwaysThinks: boolean;
  /** Rejects any sampling value but the default. */
  readonly fixedSampling: boolean;
  /** Minimum length of a cached prefix, tokens. */
  readonly cacheableFrom: number;
}

type Shape = Omit<AnthropicModel, "id" | "displayName" | "createdAt">;

const older: Shape = {
  contextTokens: 200_000,
  maxOutputTokens: 8192,
  thinking: [],
  alwaysThinks: false,
  fixedSampling: false,
  cacheableFrom: 2048,
};
const fourth: Shape = { ...older, maxOutputTokens: 64_000, thinking: ["budget"], cacheableFrom: 1024 };
const adaptive: Shape = {
  ...fourth,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: ["budget", "adaptive"],
};
const latest: Shape = { ...adaptive, thinking: ["adaptive"], fixedSampling: true };

// Id, alias, name, date, shape.
const rows: readonly (readonly [string, string, string, string, Shape])[] = [
  ["claude-opus-5-5", "", "Claude Opus 5.5", "2026-09-01", { ...latest, alwaysThinks: true }],
  ["claude-sonnet-5-5", "", "Claude Sonnet 5.5", "2026-09-28", latest],
  ["claude-haiku-5-5", "", "Claude Haiku 5.5", "2026-10-07", latest],
  ["claude-opus-5", "", "Claude Opus 5", "2026-07-24", latest],
  ["claude-sonnet-5", "", "Claude Sonnet 5", "2026-06-30", latest],
  ["claude-opus-4-8", "", "Claude Opus 4.8", "2026-05-28", latest],
  ["claude-opus-4-7", "", "Claude Opus 4.7", "2026-04-16", latest],
  ["claude-sonnet-4-6", "", "Claude Sonnet 4.6", "2026-02-17", adaptive],
  ["claude-opus-4-6", "", "Claude Opus 4.6", "2026-02-05", adaptive],
  ["claude-opus-4-5-20251101", "claude-opus-4-5", "Claude Opus 4.5", "2025-11-24", { ...fourth, cacheableFrom: 4096 }],
  [
    "claude-haiku-4-5-20251001",
    "claude-haiku-4-5",
    "Claude Haiku 4.5",
    "2025-10-15",
    { ...fourth, cacheableFrom: 4096 },
  ],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "Claude Sonnet 4.5", "2025-09-29", fourth],
  [
    "claude-opus-4-1-20250805",
    "claude-opus-4-1",
    "Claude Opus 4.1",
    "2025-08-05",
    { ...fourth, maxOutputTokens: 32_000 },
  ],
  ["claude-3-5-haiku-20241022", "claude-3-5-haiku-latest", "Claude Haiku 3.5", "2024-10-22", older],
];

const models: readonly AnthropicModel[] = rows.map(([id, , displayName, date, shape]) => ({
  id,
  displayName,
  createdAt: `${date}T00:00:00Z`,
  ...shape,
}));
const idByAlias = new Map(rows.filter(([, alias]) => alias !== "").map(([id, alias]) => [alias, id]));

export function findAnthropicModel(id: string): AnthropicModel | undefined {
  const wanted = idByAlias.get(id) ?? id;
  return models.find((model) => model.id === wanted);
}

/** All models, newest first, without aliases. */
export function anthropicModels(): readonly AnthropicModel[] {
  return models;
}

/** Whether the model thinks for a request: as requested, else by the model's default. */
export function thinks(thinking: { readonly type: string } | undefined, model: AnthropicModel): boolean {
  return thinking === undefined ? model.alwaysThinks : thinking.type !== "disabled";
}
