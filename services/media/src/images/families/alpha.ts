import { imageRequests } from "@uag/contract/requests/images";
import type { ImageSource } from "@uag/providers/images/types";
import { checked } from "@uag/untrusted/schema-fault";
import { checkUrl } from "../sources.ts";
import type { Reader } from "./reader.ts";
import { checkCount, checkListed, invalid, present } from "./schema.ts";

/** DashScope's own body: one message of content blocks, and parameters. */
export const readAlpha: Reader = ({ fields, model, guarded }) => {
  const { input, parameters } = checked(imageRequests.alpha, fields);
  const { size, n, seed, watermark, negative_prompt, prompt_extend } = parameters ?? {};
  if (size != null) checkListed(size, model.image?.sizes ?? [], "parameters.size");
  checkCount(n ?? 1, model, "parameters.n");
  const content = input.messages[0]?.content ?? [];
  const texts = content.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (texts.join("").trim() === "") throw invalid("input.messages[0].content", "must have a block with text");
  const references = content.flatMap(({ image }, index): ImageSource[] => {
    if (image === undefined) return [];
    checkUrl(image, `input.messages[0].content[${index}].image`, guarded);
    return [{ type: "url", url: image }];
  });
  checkReferences(references.length, model.image?.references ?? { min: 0, max: 0 });
  return {
    prompt: texts.join("\n"),
    count: 1,
    references,
    mask: undefined,
    size: size ?? undefined,
    delivery: "url",
    stream: false,
    options: {
      ...present({ seed, negative_prompt }),
      prompt_extend: prompt_extend ?? true,
      watermark: watermark ?? false,
    },
  };
};

function checkReferences(count: number, { min, max }: { min: number; max: number }): void {
  if (count >= min && count <= max) return;
  const needed = max === 0 ? "this model accepts no images" : `this model requires ${min} to ${max} blocks with image`;
  throw invalid("input.messages[0].content", needed);
}
