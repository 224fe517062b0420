/** One simulated qwen-image model. */
export interface QwenImageModel {
  /** Generates images from text alone. */
  readonly draws: boolean;
  /** Maximum reference images; 0 if not supported. */
  readonly references: number;
  /** `listed`: one of a list; `free`: any within the bounds; `none`: rejects a size. */
  readonly size: "listed" | "free" | "none";
  readonly usualSize: readonly [number, number];
  readonly max: number;
  /** Reports usage by output size, as the third generation does. */
  readonly outputUsage: boolean;
}

const drawing: QwenImageModel = {
  draws: true,
  references: 0,
  size: "listed",
  usualSize: [1328, 1328],
  max: 1,
  outputUsage: false,
};
const second: QwenImageModel = { ...drawing, references: 3, size: "free", usualSize: [2048, 2048], max: 6 };
const editing: QwenImageModel = { ...second, draws: false, usualSize: [1024, 1024] };

const families: readonly (readonly [RegExp, QwenImageModel])[] = [
  [/^qwen-image-3\.0(-pro)?$/, { ...second, outputUsage: true }],
  [/^qwen-image-2\.0(-pro)?$/, second],
  [/^qwen-image(-max|-plus)?$/, drawing],
  [/^qwen-image-edit-(plus|max)$/, editing],
  [/^qwen-image-edit$/, { ...editing, size: "none", max: 1 }],
];

/** A model by its id; a date suffix names a snapshot. */
export function qwenImageModel(id: string): QwenImageModel | undefined {
  const undated = id.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  return families.find(([pattern]) => pattern.test(undated))?.[1];
}

/** The sizes of models with a list. */
export const listedSizes: readonly string[] = ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"];

const minPixels = 512 * 512;
const maxPixels = 2048 * 2048;
const maxRatio = 8;

/** Width and height of a free size; undefined when it is out of bounds. */
export function freeSize(width: number, height: number): readonly [number, number] | undefined {
  const pixels = width * height;
  const ratio = Math.max(width, height) / Math.min(width, height);
  return pixels >= minPixels && pixels <= maxPixels && ratio <= maxRatio ? [width, height] : undefined;
}
