/** One of OpenAI's simulated image models. */
export interface ImageModel {
  readonly id: string;
  readonly kind: "gpt-image" | "dall-e-2" | "dall-e-3";
  /** The allowed sizes; if absent, any within the bounds of `freeSizeFault`. */
  readonly sizes?: readonly string[];
  readonly qualities: readonly string[];
  readonly transparent: boolean;
  /** Accepts `input_fidelity`. */
  readonly fidelity: boolean;
  readonly maxPromptLength: number;
  readonly max: number;
  readonly edits: boolean;
}

const gpt: Omit<ImageModel, "id"> = {
  kind: "gpt-image",
  sizes: ["1024x1024", "1024x1536", "1536x1024", "auto"],
  qualities: ["low", "medium", "high", "auto"],
  transparent: true,
  fidelity: true,
  maxPromptLength: 32_000,
  max: 10,
  edits: true,
};
const { sizes: _, ...free } = { ...gpt, transparent: false, fidelity: false };
const firstDallE: Omit<ImageModel, "id"> = {
  ...gpt,
  kind: "dall-e-2",
  sizes: ["256x256", "512x512", "1024x1024"],
  qualities: ["standard"],
  transparent: false,
  fidelity: false,
  maxPromptLength: 1000,
};
const secondDallE: Omit<ImageModel, "id"> = {
  ...firstDallE,
  kind: "dall-e-3",
  sizes: ["1024x1024", "1792x1024", "1024x1792"],
  qualities: ["standard", "hd"],
  maxPromptLength: 4000,
  max: 1,
  edits: false,
};

const models: readonly ImageModel[] = [
  { id: "gpt-image-2.5-flare", ...free },
  { id: "gpt-image-2.5-sunburst", ...free },
  { id: "gpt-image-2", ...free },
  { id: "gpt-image-1.5", ...gpt },
  { id: "gpt-image-1", ...gpt },
  { id: "gpt-image-1-mini", ...gpt, fidelity: false },
  { id: "chatgpt-image-latest", ...gpt },
  { id: "dall-e-2", ...firstDallE },
  { id: "dall-e-3", ...secondDallE },
];

/** A model by its id; a date suffix of a gpt-image id names a snapshot. */
export function openAiImageModel(id: string): ImageModel | undefined {
  const undated = id.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  return models.find((model) => model.id === id || (model.kind === "gpt-image" && model.id === undated));
}

const maxEdge = 3840;
const pixels = { min: 655_360, max: 8_294_400 };

/** The error of a free-form size; undefined when a model without a list supports it. */
export function freeSizeFault(size: string): string | undefined {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  if (match === null) return "Expected a size such as '1024x1024', or 'auto'.";
  const [width, height] = [Number(match[1]), Number(match[2])];
  if (Math.max(width, height) > maxEdge) return `The longest edge must be less than or equal to ${maxEdge}.`;
  if (width % 16 !== 0 || height % 16 !== 0) return "Width and height must both be divisible by 16.";
  if (Math.max(width, height) > 3 * Math.min(width, height)) return "The aspect ratio must be between 1:3 and 3:1.";
  if (width * height < pixels.min) return "Requested resolution is below the current minimum pixel budget.";
  if (width * height > pixels.max) return "Requested resolution exceeds the current pixel budget.";
  return undefined;
}
