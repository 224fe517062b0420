/** The input of a video: text, a first frame, references, or another video. */
type VideoTask = "t2v" | "i2v" | "r2v" | "edit";
/** How a task reports its usage. */
type VideoUsageShape = "ratio" | "size" | "seconds" | "happyhorse";

/** One simulated video model. */
export interface VideoModel {
  readonly version: "2.5" | "2.6" | "2.7" | "happyhorse";
  readonly task: VideoTask;
  readonly flash: boolean;
  readonly maxPromptLength: number;
  /** Allowed lengths in seconds: a list, or minimum and maximum. */
  readonly seconds: { readonly listed: readonly number[] } | { readonly min: number; readonly max: number };
  /** Accepts `size` (`W*H`) instead of `resolution`. */
  readonly bySize: boolean;
  readonly tiers: readonly number[];
  readonly usage: VideoUsageShape;
}

const listed = { listed: [5, 10] };
const untilFifteen = { min: 2, max: 15 };
const all = [480, 720, 1080];
const large = [720, 1080];

function wan(version: string, task: VideoTask, flash: boolean): VideoModel | undefined {
  const bySize = task === "t2v" || task === "r2v";
  const common = { task, flash, maxPromptLength: 1500, bySize };
  if (version === "2.5") return { ...common, version, seconds: listed, tiers: all, usage: "ratio" };
  if (version === "2.6") {
    const seconds = task === "r2v" ? { min: 2, max: 10 } : untilFifteen;
    return { ...common, version, seconds, tiers: large, usage: "size" };
  }
  if (version !== "2.7") return undefined;
  return {
    ...common,
    version,
    maxPromptLength: 5000,
    bySize: false,
    seconds: untilFifteen,
    tiers: large,
    usage: "seconds",
  };
}

function happyHorse(task: string): VideoModel | undefined {
  const kind = task === "video-edit" ? "edit" : task;
  if (kind !== "t2v" && kind !== "i2v" && kind !== "r2v" && kind !== "edit") return undefined;
  return {
    version: "happyhorse",
    task: kind,
    flash: false,
    maxPromptLength: 5000,
    seconds: { min: 3, max: 15 },
    bySize: false,
    tiers: large,
    usage: "happyhorse",
  };
}

const wanId = /^wan(2\.[567])-(t2v|i2v|r2v|videoedit)(-flash)?(-preview)?(-us)?(?:-\d{4}-\d{2}-\d{2})?$/;
const happyHorseId = /^happyhorse-1\.[01]-(t2v|i2v|r2v|video-edit)$/;

/** A video model by its id; a date suffix names a snapshot. */
export function videoModel(id: string): VideoModel | undefined {
  const horse = happyHorseId.exec(id);
  if (horse !== null) return happyHorse(horse[1] ?? "");
  const match = wanId.exec(id);
  if (match === null) return undefined;
  const [, version = "", task = "", flash, preview, american] = match;
  if ((version === "2.5") !== (preview !== undefined)) return undefined;
  if (flash !== undefined && (version !== "2.6" || task === "t2v")) return undefined;
  if (task === "videoedit" && version !== "2.7") return undefined;
  if (version === "2.5" && task === "r2v") return undefined;
  const kind = task === "t2v" || task === "i2v" || task === "r2v" ? task : "edit";
  const model = wan(version, kind, flash !== undefined);
  return model !== undefined && american !== undefined ? { ...model, seconds: { listed: [5, 10, 15] } } : model;
}

const sizes: { readonly [tier: number]: readonly string[] } = {
  480: ["832*480", "480*832", "624*624"],
  720: ["1280*720", "720*1280", "960*960", "1088*832", "832*1088"],
  1080: ["1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632"],
};
const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"];

/** The tier of a `W*H` size, among those of a model. */
export function tierOfSize(size: string, tiers: readonly number[]): number | undefined {
  return tiers.find((tier) => sizes[tier]?.includes(size));
}

/** The ratio of a listed size. */
export function ratioOfSize(size: string, tier: number): string {
  return ratios[sizes[tier]?.indexOf(size) ?? 0] ?? "16:9";
}

/** Every ratio with a defined size at 720 and 1080. */
export const videoRatios: readonly string[] = ratios;

/** The `W*H` of a tier and a ratio; computed in even numbers for ratios without a defined size. */
export function sizeOfRatio(tier: number, ratio: string): string {
  const at = ratios.indexOf(ratio);
  const size = at < 0 ? undefined : sizes[tier]?.[at];
  if (size !== undefined) return size;
  const [w = 16, h = 9] = ratio.split(":").map(Number);
  const area = tier * tier * (16 / 9);
  const height = 2 * Math.round(Math.sqrt((area * h) / w) / 2);
  return `${2 * Math.round((height * w) / h / 2)}*${height}`;
}
