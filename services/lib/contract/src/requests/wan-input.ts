import { z } from "zod";

const url = z
  .string()
  .min(1)
  .max(32 * 1024 * 1024);
const prompt = z.string().min(1);
const references = z.array(url).min(1).max(5);

/** Inputs of models, in the fields of their versions. */
const fields = {
  negative_prompt: z.string().optional(),
  audio_url: url.optional(),
  template: z.string().optional(),
  reference_urls: references.optional(),
  reference_video_urls: references.max(3).optional(),
} as const;
const { negative_prompt, audio_url, template, reference_urls, reference_video_urls } = fields;

const textInput = z.strictObject({ prompt, negative_prompt, audio_url });

const imageInput = z.strictObject({
  negative_prompt,
  audio_url,
  template,
  prompt: z.string().optional(),
  img_url: url,
});

const referenceInput = z
  .strictObject({
    prompt,
    negative_prompt,
    audio_url,
    reference_urls,
    reference_video_urls,
  })
  .refine((input) => input.reference_urls !== undefined || input.reference_video_urls !== undefined, {
    path: ["reference_urls"],
    message: "is required",
  });

const mediaTypes = [
  "first_frame",
  "last_frame",
  "driving_audio",
  "first_clip",
  "reference_image",
  "reference_video",
  "video",
] as const;
/** What an item of `media` may be. */
type MediaType = (typeof mediaTypes)[number];

const item = z.strictObject({ type: z.enum(mediaTypes), url, reference_voice: url.optional() });
/** An item of `media`. */
type MediaItem = z.infer<typeof item>;

/**
 * Each model accepts some of these: the suffix of its name (t2v, i2v, r2v) determines which, its
 * version the fields.
 */
export const anyWanInput = z.looseObject({
  prompt: z.string().optional(),
  ...fields,
  img_url: url.optional(),
  media: z.array(z.looseObject(item.shape)).optional(),
});

/** How many items of each type are allowed; a type not listed is not allowed. */
type MediaRules = Partial<Record<MediaType, number>>;

/** Which items of `media` a model accepts. */
interface MediaShape {
  readonly max: MediaRules;
  /** At least one of these is required. */
  readonly oneOf: readonly MediaType[];
  /** Maximum number of items in total. */
  readonly total?: number;
  readonly promptRequired: boolean;
}

/** More than any model accepts; the limits per type depend on the model. */
const maxMedia = 100;

function mediaInput(shape: MediaShape) {
  const media = z
    .array(item)
    .max(maxMedia)
    .superRefine((items, context) => {
      const counts = Object.groupBy(items, ({ type }) => type);
      for (const [index, { type }] of items.entries()) {
        const max = shape.max[type] ?? 0;
        if (max === 0) fault(context, [index, "type"], `this model does not accept ${type}`);
        else if ((counts[type]?.length ?? 0) > max) return fault(context, [], `has more than ${max} of ${type}`);
      }
      if (!shape.oneOf.some((type) => counts[type] !== undefined))
        fault(context, [], `requires an item of type ${shape.oneOf.join(" or ")}`);
      if (items.length > (shape.total ?? Number.POSITIVE_INFINITY))
        fault(context, [], `has more than ${shape.total} items`);
      return undefined;
    });
  return z.strictObject({
    prompt: shape.promptRequired ? prompt : z.string().optional(),
    negative_prompt,
    audio_url,
    media,
  });
}

function fault(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: "custom", path, message });
}

const firstFrame = {
  max: { first_frame: 1, last_frame: 1, driving_audio: 1, first_clip: 1 },
  oneOf: ["first_frame", "first_clip"],
  promptRequired: false,
} as const satisfies MediaShape;

const wanReferences = {
  max: { reference_image: 5, reference_video: 5, first_frame: 1 },
  oneOf: ["reference_image", "reference_video"],
  total: 6,
  promptRequired: true,
} as const satisfies MediaShape;

/** What a model generates its video from: text, an image, references, or a video. */
export type Mode = "t2v" | "i2v" | "r2v" | "video-edit";

/**
 * The input a Wan model accepts: the suffix of its name determines the kind, its version the
 * fields.
 */
export function wanInput(mode: Mode, takesMedia: boolean): z.ZodType<WanInput> {
  if (mode === "t2v") return textInput;
  if (takesMedia) return mediaInput(mode === "i2v" ? firstFrame : wanReferences);
  return mode === "i2v" ? imageInput : referenceInput;
}

/** HappyHorse accepts the same as Wan 2.7, with up to nine reference images. */
export function happyInput(mode: Mode): z.ZodType<WanInput> {
  if (mode === "t2v") return textInput;
  if (mode === "i2v") return mediaInput({ max: { first_frame: 1 }, oneOf: ["first_frame"], promptRequired: false });
  if (mode === "r2v")
    return mediaInput({ max: { reference_image: 9 }, oneOf: ["reference_image"], promptRequired: true });
  return mediaInput({ max: { video: 1, reference_image: 5 }, oneOf: ["video"], promptRequired: true });
}

/** The fields of `input` that the service reads. */
export interface WanInput {
  readonly prompt?: string | undefined;
  readonly media?: readonly MediaItem[] | undefined;
  readonly reference_urls?: readonly string[] | undefined;
  readonly reference_video_urls?: readonly string[] | undefined;
}
