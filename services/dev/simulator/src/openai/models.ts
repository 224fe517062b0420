import type { ChatModel } from "../completions/flavour.ts";

type Shape = Omit<ChatModel, "id" | "respondsAs">;

const untilHigh = ["low", "medium", "high"];
const fromMinimal = ["minimal", "low", "medium", "high"];
const fromNone = ["none", "low", "medium", "high"];
const untilExtraHigh = ["none", "low", "medium", "high", "xhigh"];
const untilMax = [...untilExtraHigh, "max"];

const small = { base: 85, tile: 170 };
const fifth = { base: 70, tile: 140 };
const oImages = { base: 75, tile: 150 };
const mini = { perPatch: 1.62, high: 1_536 };
const nano = { perPatch: 2.46, high: 1_536 };
const patches = { perPatch: 1.2, high: 2_500, original: 10_000 };
const patchesByDefault = { ...patches, originalByDefault: true } as const;

const gpt4o: Shape = { contextTokens: 128_000, maxOutputTokens: 16_384, imageTokens: small };
const gpt41: Shape = { contextTokens: 1_047_576, maxOutputTokens: 32_768, imageTokens: small };
const gpt5: Shape = { contextTokens: 400_000, maxOutputTokens: 128_000, efforts: fromMinimal, imageTokens: fifth };
const gpt51: Shape = { ...gpt5, efforts: fromNone, defaultEffort: "none" };
const gpt52: Shape = { ...gpt51, efforts: untilExtraHigh, imageTokens: { perPatch: 1.2, high: 1_536 } };
const long: Shape = { ...gpt52, contextTokens: 1_050_000, imageTokens: patches };
// A larger original is refused by the provider; here it is scaled down.
const sixthImages = { ...patchesByDefault, original: 30_000 };
const sixth: Shape = { ...long, efforts: untilMax, imageTokens: sixthImages };
const oSeries: Shape = { contextTokens: 200_000, maxOutputTokens: 100_000, efforts: untilHigh, imageTokens: oImages };
const audio: Shape = { ...gpt4o, audio: true };

// Alias, the dated snapshot in responses (the alias itself if the vendor uses no dates), and shape.
const rows: readonly (readonly [string, string, Shape])[] = [
  ["gpt-3.5-turbo", "gpt-3.5-turbo-0125", { contextTokens: 16_385, maxOutputTokens: 4096 }],
  ["gpt-4-turbo", "gpt-4-turbo-2024-04-09", { ...gpt4o, maxOutputTokens: 4096 }],
  ["gpt-4o", "gpt-4o-2024-08-06", gpt4o],
  ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", { ...gpt4o, imageTokens: { base: 2833, tile: 5667 } }],
  ["gpt-4o-audio-preview", "gpt-4o-audio-preview-2025-06-03", audio],
  ["gpt-audio", "gpt-audio-2025-08-28", audio],
  ["gpt-audio-mini", "gpt-audio-mini-2025-10-06", audio],
  ["gpt-4.1", "gpt-4.1-2025-04-14", gpt41],
  ["gpt-4.1-mini", "gpt-4.1-mini-2025-04-14", gpt41],
  ["gpt-4.1-nano", "gpt-4.1-nano-2025-04-14", gpt41],
  ["gpt-5-chat-latest", "gpt-5-chat-latest", gpt4o],
  ["gpt-5", "gpt-5-2025-08-07", gpt5],
  ["gpt-5-mini", "gpt-5-mini-2025-08-07", { ...gpt5, imageTokens: mini }],
  ["gpt-5-nano", "gpt-5-nano-2025-08-07", { ...gpt5, imageTokens: nano }],
  ["gpt-5.1", "gpt-5.1-2025-11-13", gpt51],
  ["gpt-5.2", "gpt-5.2-2025-12-11", gpt52],
  ["gpt-5.4", "gpt-5.4-2026-03-05", long],
  ["gpt-5.4-mini", "gpt-5.4-mini-2026-03-17", { ...gpt52, imageTokens: mini }],
  ["gpt-5.4-nano", "gpt-5.4-nano-2026-03-17", { ...gpt52, imageTokens: nano }],
  ["gpt-5.5", "gpt-5.5-2026-04-23", { ...long, imageTokens: patchesByDefault }],
  ["gpt-5.6-sol", "gpt-5.6-sol", sixth],
  ["gpt-5.6-terra", "gpt-5.6-terra", sixth],
  ["gpt-5.6-luna", "gpt-5.6-luna", sixth],
  ["gpt-6-sol", "gpt-6-sol", sixth],
  ["gpt-6-luna", "gpt-6-luna", sixth],
  ["gpt-6.1-sol", "gpt-6.1-sol", { ...sixth, efforts: untilMax.slice(1), defaultEffort: "medium" }],
  ["gpt-6.1-terra", "gpt-6.1-terra", sixth],
  ["o1", "o1-2024-12-17", oSeries],
  ["o3", "o3-2025-04-16", oSeries],
  ["o3-mini", "o3-mini-2025-01-31", oSeries],
  ["o4-mini", "o4-mini-2025-04-16", oSeries],
];

const byId = new Map<string, ChatModel>(
  rows.flatMap(([alias, snapshot, shape]) => [
    [alias, { id: alias, respondsAs: snapshot, ...shape }] as const,
    [snapshot, { id: snapshot, respondsAs: snapshot, ...shape }] as const,
  ]),
);

export function findOpenAiModel(id: string): ChatModel | undefined {
  return byId.get(id);
}

/** All ids, in the order of the table. */
export function openAiModelIds(): string[] {
  return [...byId.keys()];
}
