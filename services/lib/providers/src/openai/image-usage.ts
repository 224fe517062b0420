import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { countOf, type Fields, fieldsOf } from "../conversation/fields.ts";
import { unitsOfOthers } from "../openai-compatible/other-counters.ts";
import type { UsageReport } from "../usage-report.ts";

/**
 * Splits the usage of OpenAI's images: text and images in, images and text out (OpenAI's reference,
 * images). Without details, input counts as text and output as images.
 * @returns undefined when the object does not report usage
 */
export function unitsOfImageUsage(usage: unknown): Unit[] | undefined {
  const fields = fieldsOf(usage);
  const input = countOf(fields["input_tokens"]);
  const output = countOf(fields["output_tokens"]);
  if (input === undefined || output === undefined || output === 0) return undefined;
  const pictureIn = Math.min(countOf(fieldsOf(fields["input_tokens_details"])["image_tokens"]) ?? 0, input);
  const textOut = Math.min(countOf(fieldsOf(fields["output_tokens_details"])["text_tokens"]) ?? 0, output);
  const units: Unit[] = [];
  const add = (name: string, tokens: number): void => {
    if (tokens > 0) units.push({ name, quantity: BigInt(tokens) });
  };
  add("input_tokens", input - pictureIn);
  add("image_input_tokens", pictureIn);
  add("image_output_tokens", output - textOut);
  add("output_tokens", textOut);
  units.push(...unitsOfOthers(fields));
  return units;
}

/** The usage that a response object reports. */
export function imageUsageIn({ usage }: Fields): UsageReport | undefined {
  const units = unitsOfImageUsage(usage);
  return units && { units, raw: Buffer.from(JSON.stringify(usage)) };
}
