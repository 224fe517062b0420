import { z } from "zod";

/** Maximum frames of a video given as images. */
const maxFrames = 2_000;

/** How references to images, videos and audio are read. */
export interface PartTexts {
  /** An http, https, oss or data URL. */
  readonly image: z.ZodType<string>;
  readonly media: z.ZodType<string>;
  /** Base64; DashScope also accepts a URL of either kind. */
  readonly audio: z.ZodType<string>;
}

/** The inner object of each known content part; parts of other types are left to the upstream. */
export const partsWith = ({ image, media, audio }: PartTexts) =>
  ({
    text: z.looseObject({ text: z.string() }),
    image_url: z.looseObject({ image_url: z.looseObject({ url: image, detail: z.string().nullish() }) }),
    video_url: z.looseObject({ video_url: z.looseObject({ url: media }) }),
    audio_url: z.looseObject({ audio_url: z.looseObject({ url: media }) }),
    input_audio: z.looseObject({ input_audio: z.looseObject({ data: audio, format: z.string().nullish() }) }),
    video: z.looseObject({ video: z.array(media).min(1).max(maxFrames) }),
    file: z.looseObject({ file: z.looseObject({}) }),
    refusal: z.looseObject({ refusal: z.string() }),
  }) as const satisfies Record<string, z.ZodType>;

const text = z.string().min(1);

/** Parts with arbitrary text, which the service inspects. */
export const partFields = partsWith({ image: z.string(), media: text, audio: text });
