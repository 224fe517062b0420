/** One family of simulated Seedance models. */
export interface SeedanceFamily {
  readonly name: string;
  readonly seconds: readonly [min: number, max: number];
  readonly resolutions: readonly string[];
  readonly usualResolution: string;
  /** Which kinds of image input it accepts. */
  readonly takesText: boolean;
  readonly takesLastFrame: boolean;
  /** Maximum reference images, videos and audio files. */
  readonly references: { readonly images: number; readonly videos: number; readonly sounds: number };
  readonly soundAlone: boolean;
  readonly makesSound: boolean;
  readonly drafts: boolean;
  readonly flex: boolean;
  /** The first generation: its sizes, its inline flags, `frames`, no extra frame at the end. */
  readonly first: boolean;
}

const none = { images: 0, videos: 0, sounds: 0 };
const first: Omit<SeedanceFamily, "name"> = {
  seconds: [2, 12],
  resolutions: ["480p", "720p", "1080p"],
  usualResolution: "1080p",
  takesText: true,
  takesLastFrame: true,
  references: none,
  soundAlone: false,
  makesSound: false,
  drafts: false,
  flex: true,
  first: true,
};
const middle = {
  ...first,
  seconds: [4, 12],
  usualResolution: "720p",
  makesSound: true,
  drafts: true,
  first: false,
} as const;
const second = {
  ...middle,
  seconds: [4, 15],
  references: { images: 9, videos: 3, sounds: 3 },
  drafts: false,
  flex: false,
} as const;

const families: readonly SeedanceFamily[] = [
  { ...first, name: "1-0-lite-t2v", usualResolution: "720p", takesLastFrame: false },
  { ...first, name: "1-0-lite-i2v", usualResolution: "720p", takesText: false, references: { ...none, images: 4 } },
  { ...first, name: "1-0-pro-fast", takesLastFrame: false },
  { ...first, name: "1-0-pro" },
  { ...middle, name: "1-5-pro" },
  { ...second, name: "2-0-fast", resolutions: ["480p", "720p"] },
  { ...second, name: "2-0-mini", resolutions: ["480p", "720p"] },
  { ...second, name: "2-0" },
  {
    ...second,
    name: "2-5",
    seconds: [4, 30],
    resolutions: ["480p", "720p"],
    references: { images: 30, videos: 10, sounds: 10 },
    soundAlone: true,
    drafts: true,
  },
];

/** The family of ids such as `doubao-seedance-2-0-260128`; any six-digit date is served. */
export function seedanceFamily(id: string): SeedanceFamily | undefined {
  const name = /^(?:doubao-|dola-|dreamina-)?seedance-(.+)-\d{6}$/.exec(id)?.[1];
  return families.find((family) => family.name === name);
}

type Size = readonly [width: number, height: number];

/** Ratios that a request may use, in addition to `adaptive`. */
export const seedanceRatios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

const firstSizes: { readonly [resolution: string]: readonly Size[] } = {
  "480p": [
    [864, 480],
    [736, 544],
    [640, 640],
    [544, 736],
    [480, 864],
    [960, 416],
  ],
  "720p": [
    [1248, 704],
    [1120, 832],
    [960, 960],
    [832, 1120],
    [704, 1248],
    [1504, 640],
  ],
  "1080p": [
    [1920, 1088],
    [1664, 1248],
    [1440, 1440],
    [1248, 1664],
    [1088, 1920],
    [2176, 928],
  ],
};
const laterSizes: { readonly [resolution: string]: readonly Size[] } = {
  "480p": [
    [864, 496],
    [752, 560],
    [640, 640],
    [560, 752],
    [496, 864],
    [992, 432],
  ],
  "720p": [
    [1280, 720],
    [1112, 834],
    [960, 960],
    [834, 1112],
    [720, 1280],
    [1470, 630],
  ],
  "1080p": [
    [1920, 1080],
    [1664, 1248],
    [1440, 1440],
    [1248, 1664],
    [1080, 1920],
    [2206, 946],
  ],
};

/** Width and height for a resolution and ratio, pixels. */
export function seedanceSize(family: SeedanceFamily, resolution: string, ratio: string): Size {
  const sizes = (family.first ? firstSizes : laterSizes)[resolution];
  return sizes?.[seedanceRatios.indexOf(ratio)] ?? [1280, 720];
}

/** The listed ratio closest to that of an image. */
export function closestRatio(width: number, height: number): string {
  const distance = (ratio: string) => {
    const [w = 1, h = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log((w / h) * (height / width)));
  };
  return seedanceRatios.toSorted((a, b) => distance(a) - distance(b))[0] ?? "16:9";
}
