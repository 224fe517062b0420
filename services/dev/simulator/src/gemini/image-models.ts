/** One simulated Gemini image model. */
export interface GeminiImageModel {
  readonly inputTokenLimit: number;
  readonly sizes: readonly string[];
  readonly wideRatios: boolean;
  /** Tokens of one image of a size. */
  tokens(size: string): number;
}

const third = { inputTokenLimit: 65_536, tokens: (size: string) => (size === "4K" ? 2000 : 1120) };

/** Gemini's image models. */
export const geminiImageModels: { readonly [id: string]: GeminiImageModel } = {
  "gemini-2.5-flash-image": {
    inputTokenLimit: 32_768,
    sizes: ["1K"],
    wideRatios: false,
    tokens: () => 1290,
  },
  "gemini-3-pro-image-preview": {
    ...third,
    sizes: ["1K", "2K", "4K"],
    wideRatios: false,
  },
  "gemini-3-pro-image": { ...third, sizes: ["1K", "2K", "4K"], wideRatios: false },
  "gemini-3.1-flash-image-preview": {
    ...third,
    sizes: ["512", "1K", "2K", "4K"],
    wideRatios: true,
  },
};

const base: { readonly [ratio: string]: readonly [number, number] } = {
  "1:1": [1024, 1024],
  "2:3": [832, 1248],
  "3:2": [1248, 832],
  "3:4": [864, 1184],
  "4:3": [1184, 864],
  "4:5": [896, 1152],
  "5:4": [1152, 896],
  "9:16": [768, 1344],
  "16:9": [1344, 768],
  "21:9": [1536, 672],
};
const wide: typeof base = { "1:4": [512, 2048], "4:1": [2048, 512], "1:8": [384, 3072], "8:1": [3072, 384] };
const factors: { readonly [size: string]: number } = { "512": 0.5, "1K": 1, "2K": 2, "4K": 4 };

/** Width and height of a ratio at a size; undefined when the model does not support it. */
export function geminiImageSize(
  model: GeminiImageModel,
  ratio: string,
  size: string,
): readonly [number, number] | undefined {
  const known = base[ratio] ?? (model.wideRatios ? wide[ratio] : undefined);
  const factor = factors[size];
  if (known === undefined || factor === undefined || !model.sizes.includes(size)) return undefined;
  return [known[0] * factor, known[1] * factor];
}
