import { countOf, type Fields, isFields } from "../conversation/fields.ts";
import type { UsageReport } from "../usage-report.ts";

/**
 * The images that a response object reports, for a provider that bills them one by one; undefined
 * when it reports none.
 * @param counter the member with their number
 */
export function imagesReported({ usage }: Fields, counter: string): UsageReport | undefined {
  if (!isFields(usage)) return undefined;
  const images = countOf(usage[counter]);
  if (images === undefined || images === 0) return undefined;
  return { units: [{ name: "images", quantity: BigInt(images) }], raw: Buffer.from(JSON.stringify(usage)) };
}

/** Usage without a number of images: as many images as requested are charged. */
export function usageReported({ usage }: Fields): UsageReport | undefined {
  const counted = isFields(usage) && Object.values(usage).some((value) => (countOf(value) ?? 0) > 0);
  return counted ? { units: [], raw: Buffer.from(JSON.stringify(usage)) } : undefined;
}
