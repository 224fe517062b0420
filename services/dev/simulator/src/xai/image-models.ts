/** One of xAI's simulated image models. Costs in ticks of 1e-10 USD. */
export interface GrokImageModel {
  readonly id: string;
  readonly imageTicks: number;
  readonly inputTicks: number;
  readonly resolutions: readonly string[];
  /** Accepts low, medium or auto; the others ignore `quality`. */
  readonly heedsQuality: boolean;
}

const resolutions = ["1k", "2k"];
const models: readonly GrokImageModel[] = [
  { id: "grok-imagine-image", imageTicks: 200_000_000, inputTicks: 20_000_000, resolutions, heedsQuality: false },
  {
    id: "grok-imagine-image-quality",
    imageTicks: 500_000_000,
    inputTicks: 100_000_000,
    resolutions,
    heedsQuality: false,
  },
  {
    id: "grok-imagine-image-2.0",
    imageTicks: 500_000_000,
    inputTicks: 100_000_000,
    resolutions: ["1k", "1.5k", "2k"],
    heedsQuality: true,
  },
];

export function grokImageModel(id: string): GrokImageModel | undefined {
  return models.find((model) => model.id === id);
}

/** Ratios of images, in addition to `auto`. */
export const imageRatios: readonly string[] = [
  "1:1",
  "3:4",
  "4:3",
  "9:16",
  "16:9",
  "2:3",
  "3:2",
  "9:19.5",
  "19.5:9",
  "9:20",
  "20:9",
  "1:2",
  "2:1",
];

const pixels: { readonly [resolution: string]: number } = { "1k": 1024 ** 2, "1.5k": 1536 ** 2, "2k": 2048 ** 2 };

/** Width and height of a ratio such as `16:9` at a resolution, in steps of 16 pixels. */
export function grokImageSize(ratio: string, resolution: string): readonly [number, number] {
  const [w = 1, h = 1] = ratio === "auto" ? [1, 1] : ratio.split(":").map(Number);
  const height = Math.sqrt(((pixels[resolution] ?? 1024 ** 2) * h) / w);
  const stepped = (side: number) => Math.max(16, 16 * Math.round(side / 16));
  return [stepped((height * w) / h), stepped(height)];
}
