/** One simulated Gemini model. */
export interface GeminiModel {
  readonly id: string;
  readonly displayName: string;
  readonly inputTokenLimit: number;
  readonly outputTokenLimit: number;
  /**
   * `never`; `optional` by budget, 0 switches it off; `always` by budget; `level` by thinkingLevel.
   */
  readonly thinking: "never" | "optional" | "always" | "level";
  /** Function calls must be sent back with their thought signature. */
  readonly needsSignatures: boolean;
  /** Accepts tools and a JSON response format in one request. */
  readonly toolsWithJson: boolean;
  /** Log probabilities are enabled for it. */
  readonly logprobs?: boolean;
}

type Shape = Omit<GeminiModel, "id" | "displayName">;

const second: Shape = {
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 8192,
  thinking: "never",
  needsSignatures: false,
  toolsWithJson: false,
};
const flash: Shape = { ...second, outputTokenLimit: 65_536, thinking: "optional" };
const third: Shape = { ...flash, thinking: "level", needsSignatures: true, toolsWithJson: true };

const models: readonly GeminiModel[] = [
  { id: "gemini-3.8-flash", displayName: "Gemini 3.8 Flash", ...third },
  { id: "gemini-3.5-pro", displayName: "Gemini 3.5 Pro", ...third },
  { id: "gemini-3.5-flash", displayName: "Gemini 3.5 Flash", ...third },
  { id: "gemini-3.5-flash-lite", displayName: "Gemini 3.5 Flash-Lite", ...third },
  { id: "gemini-3.1-flash-lite", displayName: "Gemini 3.1 Flash-Lite", ...third },
  { id: "gemini-3.1-pro-preview", displayName: "Gemini 3.1 Pro Preview", ...third },
  { id: "gemini-3-pro-preview", displayName: "Gemini 3 Pro Preview", ...third },
  { id: "gemini-3-flash-preview", displayName: "Gemini 3 Flash Preview", ...third },
  { id: "gemini-2.5-pro", displayName: "Gemini 2.5 Pro", ...flash, thinking: "always" },
  { id: "gemini-2.5-flash", displayName: "Gemini 2.5 Flash", ...flash },
  { id: "gemini-2.5-flash-lite", displayName: "Gemini 2.5 Flash-Lite", ...flash },
  { id: "gemini-2.0-flash", displayName: "Gemini 2.0 Flash", ...second, logprobs: true },
];

export function findGeminiModel(id: string): GeminiModel | undefined {
  return models.find((model) => model.id === id);
}

export function geminiModels(): readonly GeminiModel[] {
  return models;
}
