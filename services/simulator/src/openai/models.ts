import type { ChatModel } from "../completions/flavour.ts";

type Limits = Pick<ChatModel, "contextTokens" | "maxOutputTokens">;

const gpt4o: Limits = { contextTokens: 128_000, maxOutputTokens: 16_384 };
const gpt41: Limits = { contextTokens: 1_047_576, maxOutputTokens: 32_768 };
const gpt5: Limits = { contextTokens: 400_000, maxOutputTokens: 128_000 };
const oSeries: Limits = { contextTokens: 200_000, maxOutputTokens: 100_000 };

const small = { base: 85, tile: 170 };
const fifth = { base: 70, tile: 140 };
const thinking = { base: 75, tile: 150 };

const untilHigh = ["low", "medium", "high"];
const fromMinimal = ["minimal", "low", "medium", "high"];
const fromNone = ["none", "low", "medium", "high"];
const untilExtraHigh = ["none", "low", "medium", "high", "xhigh"];

function model(id: string, snapshot: string, more: Omit<ChatModel, "id" | "answersAs">): ChatModel {
  return { id, answersAs: `${id}-${snapshot}`, ...more };
}

/** The chat models that the simulated OpenAI serves; each also under the snapshot that its answers name. */
const chatModels: readonly ChatModel[] = [
  model("gpt-4o", "2024-08-06", { ...gpt4o, imageTokens: small }),
  model("gpt-4o-mini", "2024-07-18", { ...gpt4o, imageTokens: { base: 2833, tile: 5667 } }),
  model("gpt-4o-audio-preview", "2025-06-03", { ...gpt4o, audio: true }),
  model("gpt-4.1", "2025-04-14", { ...gpt41, imageTokens: small }),
  model("gpt-4.1-mini", "2025-04-14", { ...gpt41, imageTokens: small }),
  model("gpt-4.1-nano", "2025-04-14", { ...gpt41, imageTokens: small }),
  model("gpt-5", "2025-08-07", { ...gpt5, efforts: fromMinimal, imageTokens: fifth }),
  model("gpt-5-mini", "2025-08-07", { ...gpt5, efforts: fromMinimal, imageTokens: fifth }),
  model("gpt-5-nano", "2025-08-07", { ...gpt5, efforts: fromMinimal, imageTokens: fifth }),
  model("gpt-5.1", "2025-11-13", { ...gpt5, efforts: fromNone, defaultEffort: "none", imageTokens: fifth }),
  model("gpt-5.2", "2025-12-11", { ...gpt5, efforts: untilExtraHigh, defaultEffort: "none", imageTokens: fifth }),
  model("o1", "2024-12-17", { ...oSeries, efforts: untilHigh, imageTokens: thinking }),
  model("o3", "2025-04-16", { ...oSeries, efforts: untilHigh, imageTokens: thinking }),
  model("o3-mini", "2025-01-31", { ...oSeries, efforts: untilHigh }),
  model("o4-mini", "2025-04-16", { ...oSeries, efforts: untilHigh, imageTokens: thinking }),
];

const byId = new Map<string, ChatModel>(
  chatModels.flatMap((entry) => [
    [entry.id, entry] as const,
    [entry.answersAs, { ...entry, id: entry.answersAs }] as const,
  ]),
);

export function findOpenAiModel(id: string): ChatModel | undefined {
  return byId.get(id);
}

/** Every id, in the order of the table. */
export function openAiModelIds(): string[] {
  return [...byId.keys()];
}
