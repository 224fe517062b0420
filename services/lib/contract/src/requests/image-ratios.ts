/** The values of Gemini's `imageConfig.aspectRatio` that every image model accepts. */
export const geminiRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

/** Aspect ratios of Grok's image models (xAI's image API, `aspect_ratio`). */
export const grokRatios = [
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
] as const;
