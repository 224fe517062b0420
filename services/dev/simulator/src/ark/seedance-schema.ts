import { z } from "zod";

const link = z.strictObject({ url: z.string() });
const item = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal("image_url"),
    image_url: link,
    role: z.enum(["first_frame", "last_frame", "reference_image"]).optional(),
  }),
  z.strictObject({ type: z.literal("video_url"), video_url: link, role: z.literal("reference_video").optional() }),
  z.strictObject({ type: z.literal("audio_url"), audio_url: link, role: z.literal("reference_audio").optional() }),
  z.strictObject({ type: z.literal("draft_task"), draft_task: z.strictObject({ id: z.string() }) }),
]);

/** `POST /contents/generations/tasks` */
export const seedanceSchema = z.looseObject({
  model: z.string(),
  content: z.array(item).min(1),
  callback_url: z.url({ protocol: /^https?$/ }).optional(),
  return_last_frame: z.boolean().optional(),
  service_tier: z.enum(["default", "flex"]).optional(),
  execution_expires_after: z.int().min(3600).max(259_200).optional(),
  priority: z.int().optional(),
  generate_audio: z.boolean().optional(),
  draft: z.boolean().optional(),
  camera_fixed: z.boolean().optional(),
  watermark: z.boolean().optional(),
  seed: z.int().min(-1).max(4_294_967_295).optional(),
  resolution: z.string().optional(),
  ratio: z.string().optional(),
  duration: z.int().optional(),
  frames: z.int().optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  safety_identifier: z.string().max(64).optional(),
  output_format: z.string().optional(),
  omni_reference_task_type: z.enum(["auto", "reference", "edit", "extend"]).optional(),
});

export type SeedanceRequest = z.infer<typeof seedanceSchema>;

/** Documented fields of the request. */
export const seedanceFields: ReadonlySet<string> = new Set(Object.keys(seedanceSchema.shape));

const flagNames: { readonly [flag: string]: string } = {
  rs: "resolution",
  resolution: "resolution",
  rt: "ratio",
  ratio: "ratio",
  dur: "duration",
  duration: "duration",
  seed: "seed",
  cf: "camera_fixed",
  camerafixed: "camera_fixed",
  wm: "watermark",
  watermark: "watermark",
};

function flagValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/**
 * Flags such as `--rs 720p --dur 5` in a prompt; fields of the request take precedence over them.
 */
export function inlineFlags(request: SeedanceRequest): { readonly [field: string]: string | number | boolean } {
  const text = request.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  const flags: Record<string, string | number | boolean> = {};
  for (const [, name = "", value = ""] of text.matchAll(/--([a-z]+)\s+(\S+)/g)) {
    const field = flagNames[name];
    if (field !== undefined) flags[field] = flagValue(value);
  }
  return flags;
}
