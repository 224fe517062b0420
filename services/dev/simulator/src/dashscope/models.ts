import type { ChatModel } from "../completions/flavour.ts";

/** One simulated Qwen model, beyond its sizes. */
export type QwenModel = ChatModel & {
  readonly imageTokens: typeof imageTokens;
  /** `never`; `off` or `on` by default, until `enable_thinking` overrides it; `always`. */
  readonly thinks: "never" | "off" | "on" | "always";
  readonly streamOnly: boolean;
  /** Accepts image, video and audio parts. */
  readonly sees: boolean;
  readonly hears: boolean;
  readonly searches: boolean;
};

type Shape = Omit<QwenModel, "id" | "respondsAs">;

/**
 * A token per 32 x 32 pixels, and two for the image's ends; 2,560 unless the request asks for more
 * (alibabacloud.com/help/en/model-studio/vision).
 */
const imageTokens = { base: 2, perPatch: 1, high: 2_560, original: 16_384 };
const text: Shape = {
  contextTokens: 131_072,
  maxOutputTokens: 8192,
  imageTokens,
  thinks: "never",
  streamOnly: false,
  sees: false,
  hears: false,
  searches: true,
};
const hybrid: Shape = { ...text, contextTokens: 1_000_000, maxOutputTokens: 32_768, thinks: "off" };
const open: Shape = { ...text, maxOutputTokens: 16_384, thinks: "on", searches: false };
const thinker: Shape = { ...open, maxOutputTokens: 32_768, thinks: "always", streamOnly: true };
const vision: Shape = { ...text, sees: true, searches: false };
const omni: Shape = {
  ...vision,
  contextTokens: 65_536,
  maxOutputTokens: 16_384,
  hears: true,
  streamOnly: true,
  audio: true,
};

const rows: readonly (readonly [string, Shape])[] = [
  ["qwen3.8-max", { ...hybrid, maxOutputTokens: 131_072, sees: true }],
  ["qwen3.8-flash", { ...hybrid, maxOutputTokens: 131_072, sees: true }],
  ["qwen3.7-max", { ...hybrid, maxOutputTokens: 65_536 }],
  ["qwen3.7-plus", { ...hybrid, maxOutputTokens: 65_536, sees: true }],
  ["qwen3-max", { ...hybrid, contextTokens: 262_144, maxOutputTokens: 65_536 }],
  ["qwen-max", { ...text, contextTokens: 32_768 }],
  ["qwen-plus", hybrid],
  ["qwen-flash", hybrid],
  ["qwen-turbo", { ...hybrid, maxOutputTokens: 16_384 }],
  ["qwen3-32b", open],
  ["qwen3-235b-a22b-instruct-2507", { ...text, maxOutputTokens: 32_768 }],
  ["qwen3-235b-a22b-thinking-2507", { ...thinker, streamOnly: false }],
  ["qwq-plus", thinker],
  ["qwen-vl-max", vision],
  ["qwen-vl-plus", vision],
  ["qwen3-vl-plus", { ...vision, thinks: "off", maxOutputTokens: 32_768 }],
  ["qwen3-omni-flash", { ...omni, thinks: "off" }],
  ["qwen-omni-turbo", omni],
];

const efforts = ["low", "medium", "high"];
const byId = new Map<string, QwenModel>(
  rows.map(([id, shape]) => [id, { id, respondsAs: id, ...shape, ...(shape.thinks !== "never" && { efforts }) }]),
);

export function findQwenModel(id: string): QwenModel | undefined {
  return byId.get(id);
}

/** All ids, in the order of the table. */
export function qwenModelIds(): string[] {
  return [...byId.keys()];
}
