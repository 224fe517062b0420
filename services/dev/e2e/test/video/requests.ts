export const text = { prompt: "a boat" };
const picture = "https://example.com/boat.png";

/** A request of every family, and its cost in USD. */
export const requests: readonly (readonly [title: string, body: object, usd: number | undefined])[] = [
  [
    "Beta 2.5 at 480p",
    { model: "beta2.5-t2v-preview", duration: 5, resolution: "480p", input: text, parameters: { size: "832*480" } },
    0.25,
  ],
  [
    "Beta 2.6 text, as documented",
    {
      model: "beta2.6-t2v",
      duration: 5,
      resolution: "720p",
      aspect_ratio: "16:9",
      input: text,
      parameters: { size: "1280*720", duration: 5, shot_type: "multi", prompt_extend: true },
    },
    0.5,
  ],
  [
    "Beta 2.6 image",
    {
      model: "beta2.6-i2v",
      duration: 5,
      resolution: "1080p",
      input: { ...text, img_url: picture },
      parameters: { size: "1920*1080", duration: 5 },
    },
    0.75,
  ],
  [
    "Beta 2.6 image, fast and silent",
    { model: "beta2.6-i2v-flash", duration: 10, input: { img_url: picture }, parameters: { audio: false } },
    0.25,
  ],
  ["Beta 2.6 references", { model: "beta2.6-r2v", duration: 5, input: { ...text, reference_urls: [picture] } }, 0.5],
  [
    "Beta 2.7 text",
    {
      model: "beta2.7-t2v",
      duration: 5,
      resolution: "720p",
      input: text,
      parameters: { resolution: "720P", duration: 5, prompt_extend: true, watermark: false },
    },
    0.5,
  ],
  [
    "Beta 2.7 image, dated version",
    { model: "beta2.7-i2v-2026-05-01", duration: 4, input: { media: [{ type: "first_frame", url: picture }] } },
    0.4,
  ],
  [
    "Beta 2.7 references",
    { model: "beta2.7-r2v", duration: 5, input: { ...text, media: [{ type: "reference_image", url: picture }] } },
    0.5,
  ],
  [
    "HappyHorse with nine references",
    {
      model: "happyhorse-1.0-r2v",
      input: { ...text, media: Array.from({ length: 9 }, () => ({ type: "reference_image", url: picture })) },
    },
    0.7,
  ],
  [
    "Seedance of 30 seconds",
    { model: "seedance-2-5", duration: 30, resolution: "480p", content: [{ type: "text", text: "a boat" }], seed: 7 },
    undefined,
  ],
  [
    "Seedance from first to last frame, without audio",
    {
      model: "seedance-1-5-pro",
      generate_audio: false,
      content: [
        { type: "text", text: "a boat" },
        { type: "image_url", image_url: { url: picture }, role: "first_frame" },
        { type: "image_url", image_url: { url: picture }, role: "last_frame" },
      ],
    },
    undefined,
  ],
  ["Grok", { model: "grok-imagine-video", prompt: "a boat", duration: 6, resolution: "720p" }, 0.42],
];
