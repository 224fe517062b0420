import type { Model } from "@uag/catalog/types";
import { familyOf } from "@uag/video/families/family";
import type { Random } from "./chat-requests.ts";

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const some = <T>(random: Random, max: number, make: (n: number) => T): T[] =>
  Array.from({ length: 1 + Math.floor(random() * max) }, (_, n) => make(n));
const picture = "https://x.test/a.png";

/** Clips of the simulator, whose names contain their lengths. */
export type ClipOf = (seconds: number) => string;

function wanInput(random: Random, clipOf: ClipOf): object {
  const clip = () => clipOf(pick(random, [2, 5, 10]));
  const item = (type: string, url: string) => ({ type, url });
  const prompt = `${random()} a boat`;
  return pick<() => object>(random, [
    () => ({ prompt }),
    () => ({ prompt, img_url: picture }),
    () => ({ prompt, reference_urls: some(random, 5, () => pick(random, [picture, clip()])) }),
    () => ({ prompt, reference_video_urls: some(random, 3, clip) }),
    () => ({ prompt, media: [item("first_frame", picture)] }),
    () => ({ prompt, media: [item("first_clip", clip())] }),
    () => ({ prompt, media: some(random, 5, () => item("reference_image", picture)) }),
    () => ({
      prompt,
      media: [...some(random, 5, () => item("reference_video", clip())), item("reference_image", picture)],
    }),
    () => ({ prompt, media: [item("video", clip())] }),
  ])();
}

function seedanceContent(random: Random, clipOf: ClipOf): object[] {
  const text = { type: "text", text: `${random()} a boat` };
  const image = { type: "image_url", image_url: { url: picture } };
  const clip = { type: "video_url", video_url: { url: clipOf(pick(random, [2, 5, 10])) }, role: "reference_video" };
  return pick(random, [
    [text],
    [text, { ...image, role: "first_frame" }],
    [text, ...some(random, 4, () => ({ ...image, role: "reference_image" }))],
    [text, ...some(random, 3, () => clip)],
  ]);
}

/**
 * A video request at the limits of what its model allows, or beyond it, which is rejected and free.
 */
export function videoEdge(model: Model, random: Random, clipOf: ClipOf): object {
  const common = {
    model: model.id,
    duration: pick(random, [2, 3, 4, 5, 10, 12, 15, 30, -1]),
    resolution: pick(random, ["480p", "720p", "1080p"]),
  };
  const family = familyOf(model);
  if (family === "seedance") {
    const flags = {
      ...(random() < 0.4 && { generate_audio: random() < 0.5 }),
      ...(random() < 0.2 && { service_tier: "flex" }),
      ...(random() < 0.2 && { draft: true, resolution: "480p" }),
    };
    const ratio = pick(random, ["16:9", "4:3", "1:1", "9:16", "21:9", "adaptive"]);
    const { duration, ...rest } = common;
    const length = random() < 0.2 ? { frames: pick(random, [29, 145, 289]) } : { duration };
    return { ...rest, ...length, ratio, content: seedanceContent(random, clipOf), ...flags };
  }
  const ratio = pick(random, ["16:9", "9:16", "1:1", "4:3"]);
  if (family === "grok") {
    const shown = pick(random, [{}, { image: picture }, { reference_images: some(random, 7, () => picture) }]);
    return { ...common, aspect_ratio: ratio, prompt: `${random()} a boat`, ...shown };
  }
  const parameters = { ...(random() < 0.4 && { audio: random() < 0.5 }), prompt_extend: random() < 0.5 };
  return { ...common, aspect_ratio: ratio, input: wanInput(random, clipOf), parameters };
}
