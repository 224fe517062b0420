import { z } from "zod";
import { integerBetween, randomFrom } from "../content/hash.ts";
import type { Call, Reply } from "../http/types.ts";
import { wrongBody } from "../openai-media/image-checks.ts";
import { rejectOpenAi } from "./protocol.ts";

/** Alias and snapshot; responses name the alias of an alias. */
const models = ["omni-moderation-latest", "omni-moderation-2024-09-26"];
const maxImages = 1;

const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
]);
const schema = z.looseObject({
  model: z.string().default("omni-moderation-latest"),
  input: z.union([z.string().min(1), z.array(z.string()).min(1), z.array(part).min(1)]),
});

type Input = z.infer<typeof schema>["input"];
type Part = z.infer<typeof part>;

interface Category {
  /** Texts with one of these words are flagged. */
  readonly words: RegExp;
  /** Images are classified too. */
  readonly images?: true;
}

/** https://developers.openai.com/api/docs/guides/moderation, "Content classifications". */
const categories: { readonly [name: string]: Category } = {
  harassment: { words: /\b(idiot|loser|hurt you)\b/i },
  "harassment/threatening": { words: /\bhurt you\b/i },
  hate: { words: /\bsubhuman\b/i },
  "hate/threatening": { words: /\bexterminate\b/i },
  illicit: { words: /\b(shoplift|pick a lock)\b/i },
  "illicit/violent": { words: /\bbuild a bomb\b/i },
  "self-harm": { words: /\bharm myself\b/i, images: true },
  "self-harm/intent": { words: /\bwill harm myself\b/i, images: true },
  "self-harm/instructions": { words: /\bhow to harm myself\b/i, images: true },
  sexual: { words: /\bexplicit\b/i, images: true },
  "sexual/minors": { words: /\bexplicit minors\b/i },
  violence: { words: /\b(hurt|kill|blood)\b/i, images: true },
  "violence/graphic": { words: /\bblood\b/i, images: true },
};

/** The inputs that get one result each. */
function resultInputs(input: Input): (readonly Part[])[] {
  if (typeof input === "string") return [[{ type: "text", text: input }]];
  const parts = input.filter((item): item is Part => typeof item !== "string");
  if (parts.length > 0) return [parts];
  return (input as string[]).map((text) => [{ type: "text", text }]);
}

function resultOf(parts: readonly Part[], digest: string, index: number): object {
  const texts = parts.flatMap((each) => (each.type === "text" ? [each.text] : []));
  const hasImage = parts.some(({ type }) => type === "image_url");
  const rows = Object.entries(categories).map(([name, { words, images = false }]) => {
    const flagged = texts.some((text) => words.test(text));
    const random = randomFrom(digest, `${index}:${name}`);
    const score = (flagged ? integerBetween(random, 5_000, 9_990) : integerBetween(random, 1, 900)) / 10_000;
    const types = [...(texts.length > 0 ? ["text"] : []), ...(hasImage && images ? ["image"] : [])];
    return { name, flagged, score, types };
  });
  return {
    flagged: rows.some(({ flagged }) => flagged),
    categories: Object.fromEntries(rows.map(({ name, flagged }) => [name, flagged])),
    category_scores: Object.fromEntries(rows.map(({ name, score }) => [name, score])),
    category_applied_input_types: Object.fromEntries(rows.map(({ name, types }) => [name, types])),
  };
}

/**
 * `POST /v1/moderations`. Free: the response has no usage.
 * https://developers.openai.com/api/reference/resources/moderations
 */
export function openAiModerations(call: Call): Reply {
  const parsed = schema.safeParse(call.body);
  if (!parsed.success) throw wrongBody(parsed.error, call.body);
  const model = call.model ?? parsed.data.model;
  if (!models.includes(model)) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    throw rejectOpenAi({ status: 404, message, code: "model_not_found" });
  }
  const inputs = resultInputs(parsed.data.input);
  const images = inputs.flat().filter(({ type }) => type === "image_url").length;
  if (images > maxImages) {
    const message = `Number of images (${images}) exceeds maximum of ${maxImages}`;
    throw rejectOpenAi({ status: 400, message, param: "input", code: "too_many_images" });
  }
  const results = inputs.map((parts, index) => resultOf(parts, call.digest, index));
  return { type: "json", status: 200, body: { id: call.newId("modr-"), model, results } };
}
