/** How a hold bounds what a field costs. */
export const bounds = {
  input: "Input tokens: each byte of the request is held for as a token.",
  media: "Input tokens of images, audio, videos and documents, by the model's largest size.",
  output: "Output tokens: the request's cap, or the model's maximum.",
  candidates: "Output tokens of every candidate.",
  prediction: "Output tokens, plus one for each byte of the prediction.",
  speech: "Output tokens, at the price of audio.",
  toolUses: "Uses of the provider's tools, and the input that their results add.",
  vectors: "Input tokens of all inputs.",
  documents: "Input tokens of all documents, and of the query once for each.",
  characters: "Characters of the input.",
  transcript: "Seconds or tokens of the audio, tokens of the prompt, and the longest output.",
  images: "The number of images, at the largest price of their size and quality.",
  references: "Input images, at their largest size.",
  video: "Seconds or tokens of the video, at the price of its resolution and variant.",
} as const;

export type BoundName = keyof typeof bounds;

/**
 * What a request field can do to the request's cost:
 * - `bounded`: it changes the cost, and the hold bounds it
 * - `free`: it cannot raise the cost; the provider's document says so
 * - `refused`: it would cost what no hold bounds, so that the request gets a 400 naming it
 */
export type CostClass =
  | { readonly kind: "bounded"; readonly by: BoundName }
  | { readonly kind: "free"; readonly source: string; readonly note?: string | undefined }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Classes by a field's name as its reference writes it (`output_config.effort`). A row covers the
 * members of its value, except where a member has a row of its own: then all members need one.
 * A field without a row is passed where client and provider share a format, and then held for as
 * the worst case: the model's whole context, and its longest output.
 * A name may end in a value (`service_tier priority`), for documentation.
 */
export type FieldTable = Readonly<Record<string, CostClass>>;

export const bounded = (by: BoundName): CostClass => ({ kind: "bounded", by });
export const free = (source: string, note?: string): CostClass => ({ kind: "free", source, note });
export const refused = (reason: string): CostClass => ({ kind: "refused", reason });

/** The class of a field: its own row, or that of the nearest field around it. */
export function classOf(table: FieldTable, name: string): CostClass | undefined {
  for (let at = name; at !== ""; at = outer(at)) if (Object.hasOwn(table, at)) return table[at];
  return undefined;
}

/** `a[].b value` -> `a[].b` -> `a[]` -> `a`. */
function outer(name: string): string {
  if (name.includes(" ")) return name.slice(0, name.lastIndexOf(" "));
  if (name.endsWith("[]")) return name.slice(0, -2);
  return name.slice(0, Math.max(0, name.lastIndexOf(".")));
}
