/** One simulated Seedream model. */
export interface SeedreamModel {
  readonly keywords: readonly string[];
  /** Minimum and maximum pixels of an explicit size. */
  readonly pixels: readonly [min: number, max: number];
  readonly usualSize: string;
  readonly references: number;
  /** Supports sets of images, and streaming. */
  readonly sets: boolean;
  readonly searches: boolean;
  readonly picksFormat: boolean;
  /** Accepts `seed` and `guidance_scale`. */
  readonly seeds: boolean;
  readonly needsImage: boolean;
}

const pro: SeedreamModel = {
  keywords: ["1K", "1.5K", "2K"],
  pixels: [921_600, 4_624_220],
  usualSize: "2K",
  references: 10,
  sets: false,
  searches: false,
  picksFormat: true,
  seeds: false,
  needsImage: false,
};
const max = 16_777_216;
const lite: SeedreamModel = {
  ...pro,
  keywords: ["2K", "3K", "4K"],
  pixels: [3_686_400, max],
  references: 14,
  sets: true,
  searches: true,
};
const fourth: SeedreamModel = {
  ...lite,
  keywords: ["1K", "2K", "4K"],
  pixels: [921_600, max],
  searches: false,
  picksFormat: false,
};
const third: SeedreamModel = {
  ...pro,
  keywords: [],
  pixels: [262_144, 4_194_304],
  usualSize: "1024x1024",
  references: 0,
  picksFormat: false,
  seeds: true,
};

const models: { readonly [id: string]: SeedreamModel } = {
  "seedream-5-0-pro-260628": pro,
  "seedream-5-0-flash-260915": pro,
  "seedream-5-0-260128": lite,
  "seedream-4-5-251128": { ...fourth, keywords: ["2K", "4K"], pixels: [3_686_400, max] },
  "seedream-4-0-250828": fourth,
  "seedream-3-0-t2i-250415": third,
  "seededit-3-0-i2i-250628": { ...third, usualSize: "1024x1024", references: 1, needsImage: true },
};

/** A Seedream model by its id, with the prefix of either region or none. */
export function seedreamModel(id: string): SeedreamModel | undefined {
  return models[id.replace(/^(doubao|dola)-/, "")];
}

const sides: { readonly [keyword: string]: number } = { "1K": 1024, "1.5K": 1536, "2K": 2048, "3K": 3072, "4K": 4096 };

/**
 * Width and height for a size of the model, a keyword or `WxH`; undefined when it is not supported.
 */
export function seedreamSize(size: string, model: SeedreamModel): readonly [number, number] | undefined {
  const side = sides[size];
  if (side !== undefined) return model.keywords.includes(size) || size === model.usualSize ? [side, side] : undefined;
  const match = /^(\d{2,5})x(\d{2,5})$/.exec(size);
  if (match === null) return undefined;
  const [width, height] = [Number(match[1]), Number(match[2])];
  const [min, largest] = model.pixels;
  const ratio = width / height;
  const fits = width * height >= min && width * height <= largest && ratio >= 1 / 16 && ratio <= 16;
  return fits ? [width, height] : undefined;
}
