import { countTokens } from "../content/tokens.ts";
import type { Units, Usage } from "../usage.ts";

type Quality = "low" | "medium" | "high";

const square: Readonly<Record<Quality, number>> = { low: 272, medium: 1056, high: 4160 };
const listedTokens: { readonly [size: string]: Readonly<Record<Quality, number>> } = {
  "1024x1536": { low: 408, medium: 1584, high: 6240 },
  "1536x1024": { low: 400, medium: 1568, high: 6208 },
};
const partialTokens = 100;
const inputBase = 65;
const inputTile = 129;

/** What was made, as far as the bill depends on it. */
export interface Made {
  readonly prompt: string;
  readonly inputs: readonly { readonly width: number; readonly height: number }[];
  readonly highFidelity: boolean;
  readonly width: number;
  readonly height: number;
  readonly quality: Quality;
  readonly count: number;
  readonly partials: number;
}

// Scaled to a shortest side of 512, then tiles of 512; high fidelity adds an amount by aspect
// ratio.
function inputTokens({ width, height }: { width: number; height: number }, highFidelity: boolean): number {
  const scale = 512 / Math.min(width, height);
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  const fidelity = width === height ? 4096 : 6144;
  return inputBase + inputTile * tiles + (highFidelity ? fidelity : 0);
}

/** Output tokens of one image: from the table for its three sizes, else the square's by area. */
function outputTokens({ width, height, quality }: Made): number {
  const known = listedTokens[`${width}x${height}`];
  return known?.[quality] ?? Math.round((square[quality] * width * height) / (1024 * 1024));
}

/** Usage of a gpt-image response; each partial image costs 100 tokens more. */
export function imageUsage(made: Made): { usage: Usage; units: Units } {
  const text = countTokens(made.prompt);
  const pictures = made.inputs.reduce((sum, input) => sum + inputTokens(input, made.highFidelity), 0);
  const output = made.count * outputTokens(made) + made.partials * partialTokens;
  const usage = {
    total_tokens: text + pictures + output,
    input_tokens: text + pictures,
    output_tokens: output,
    input_tokens_details: { text_tokens: text, image_tokens: pictures },
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
  };
  const { width, height, quality, count } = made;
  const tokens = { text_tokens: text, image_tokens: pictures, output_tokens: output };
  return { usage, units: { images: count, width, height, quality, ...tokens } };
}
