import { z } from "zod";

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const source = z.strictObject({ bytes: base64 });
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const text = z.string().refine((value) => value.trim() !== "", "The text field in the ContentBlock object is blank.");
const image = z.strictObject({ format: z.enum(["png", "jpeg", "gif", "webp"]), source });
const video = z.strictObject({ format: z.enum(["mkv", "mov", "mp4", "webm", "mpeg", "mpg", "wmv", "flv"]), source });
const document = z.strictObject({
  format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
  name: z.string().regex(/^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/),
  source,
});
const toolUse = z.strictObject({ toolUseId: name, name, input: z.record(z.string(), z.unknown()) });
const toolResult = z.strictObject({
  toolUseId: name,
  content: z.array(z.strictObject({ text: text.optional(), image: image.optional(), document: document.optional() })),
  status: z.enum(["success", "error"]).optional(),
});

const cachePoint = z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() });

/** A union: exactly one of its members is set. */
const block = z
  .strictObject({
    text: text.optional(),
    image: image.optional(),
    video: video.optional(),
    document: document.optional(),
    toolUse: toolUse.optional(),
    toolResult: toolResult.optional(),
    cachePoint: cachePoint.optional(),
  })
  .refine((value) => Object.keys(value).length === 1, "A ContentBlock has exactly one member.");

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const converseSchema = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(block).min(1) })).min(1),
  system: z.array(z.union([z.strictObject({ text }), z.strictObject({ cachePoint })])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.strictObject({
            toolSpec: z.strictObject({
              name,
              description: z.string().min(1).optional(),
              inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
            }),
          }),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name }) }),
        ])
        .optional(),
    })
    .optional(),
});

export type ConverseRequest = z.infer<typeof converseSchema>;
export type ConverseMessage = ConverseRequest["messages"][number];

const maxCachePoints = 4;

/** A rule that a valid body can break; undefined if none is. */
export function brokenRule(
  { messages, system = [], toolConfig }: ConverseRequest,
  cachesPrompts: boolean,
): string | undefined {
  const points = [...system, ...messages.flatMap(({ content }) => content)].filter((block) => "cachePoint" in block);
  if (points.length > 0 && !cachesPrompts)
    return "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.";
  if (points.length > maxCachePoints) return `A request can have at most ${maxCachePoints} cache points.`;
  if (messages[0]?.role !== "user") return "A conversation must start with a user message.";
  const doubled = messages.some(({ role }, index) => role === messages[index - 1]?.role);
  if (doubled) return "A conversation must alternate between user and assistant roles.";
  for (const [index, { content }] of messages.entries()) {
    const hasDocument = content.some(({ document }) => document !== undefined);
    if (hasDocument && !content.some(({ text }) => text !== undefined))
      return "A document requires a text block in the same message.";
    const asked = messages[index - 1]?.content.flatMap(({ toolUse }) => (toolUse ? [toolUse.toolUseId] : [])) ?? [];
    const given = content.flatMap(({ toolResult }) => (toolResult ? [toolResult.toolUseId] : []));
    if (asked.some((id) => !given.includes(id)) || given.some((id) => !asked.includes(id)))
      return `Expected toolResult blocks at messages.${index}.content for the following Ids: ${asked.join(", ")}`;
  }
  const usesTools = messages.some(({ content }) => content.some((block) => block.toolUse ?? block.toolResult));
  if (usesTools && toolConfig === undefined)
    return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
  return undefined;
}
