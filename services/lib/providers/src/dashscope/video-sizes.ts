/** Wan's sizes by resolution and aspect ratio (Model Studio, Wan text to video). */
export const wanSizes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "480p": { "16:9": "832*480", "9:16": "480*832", "1:1": "624*624" },
  "720p": { "16:9": "1280*720", "9:16": "720*1280", "1:1": "960*960", "4:3": "1088*832", "3:4": "832*1088" },
  "1080p": { "16:9": "1920*1080", "9:16": "1080*1920", "1:1": "1440*1440", "4:3": "1632*1248", "3:4": "1248*1632" },
};

/** Between two tiers the number of pixels decides. */
const maxPixels: readonly (readonly [resolution: string, pixels: number])[] = [
  ["480p", 600_000],
  ["720p", 1_200_000],
  ["1080p", 2_400_000],
];

/** The tier of a size such as `1280*720`; undefined when it is not a size. */
export function resolutionOfSize(size: string): string | undefined {
  const match = /^(\d{2,5})\s*[*x]\s*(\d{2,5})$/i.exec(size);
  if (match === null) return undefined;
  const pixels = Number(match[1]) * Number(match[2]);
  return maxPixels.find(([, max]) => pixels <= max)?.[0];
}

/** The aspect ratio of a listed size; undefined for others. */
export function ratioOfSize(size: string): string | undefined {
  for (const tier of Object.values(wanSizes)) {
    for (const [ratio, listed] of Object.entries(tier)) if (listed === size) return ratio;
  }
  return undefined;
}
