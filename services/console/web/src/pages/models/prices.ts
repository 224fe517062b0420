import type { Model } from "../../api/types.ts";

/** How a price is meant: for a million tokens or characters, or for one image, search or second. */
export function perOf(unit: string): number {
  return /(tokens|characters)(:|$)/.test(unit) ? 1_000_000 : 1;
}

/** USD without zeros that say nothing, and at least two decimals. */
export function priceText(usd: number): string {
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

const inputs = ["input_tokens", "characters", "audio_seconds"];
const outputs = ["output_tokens", "image_output_tokens", "images", "video_seconds"];

function find({ price }: Model, names: readonly string[]): [unit: string, usd: number] | undefined {
  const units = Object.entries(price.usd);
  return names.flatMap((name) => units.filter(([unit]) => unit === name || unit.startsWith(`${name}:`)))[0];
}

/** The price that a model is compared by, for what goes in. */
export const inputPrice = (model: Model) => find(model, inputs);
/** The same for what comes out. */
export const outputPrice = (model: Model) => find(model, outputs);

export type Quantities = Readonly<Record<string, number>>;

/** What a request of so much costs, in USD: by the tier that its input falls in. */
export function costOf({ price }: Model, quantities: Quantities): number {
  const input = quantities["input_tokens"] ?? 0;
  const tier = price.tiers.filter(({ above_input_tokens: above }) => input > above).at(-1);
  const usd = { ...price.usd, ...tier?.usd };
  return Object.entries(quantities).reduce((sum, [unit, count]) => sum + (count * (usd[unit] ?? 0)) / perOf(unit), 0);
}
