import type { Fields } from "@uag/pipeline/request/body";
import { ratioOfSize, resolutionOfSize, wanSizes } from "@uag/providers/dashscope/video-sizes";
import { invalid } from "./family.ts";

export interface BilledParameters {
  readonly seconds: number | undefined;
  readonly resolution: string;
  readonly aspectRatio: string;
  /**
   * True when the client requested that ratio; otherwise it is our default and may be overridden.
   */
  readonly ratioRequested: boolean;
}

export interface ParameterRules {
  /** The provider's field of the resolution. */
  readonly reports: "resolution" | "size";
  /** The ratio can be chosen, rather than following from an input image. */
  readonly takesRatio: boolean;
}

/**
 * Builds the provider's parameters: the client's own, which must agree with what is billed,
 * completed with the billed values.
 * @throws {GatewayError} `invalid_request` when the two contradict each other
 */
export function wanParameters(given: Fields, wanted: BilledParameters, rules: ParameterRules): Fields {
  checkDuration(given, wanted);
  checkResolution(given, wanted);
  checkRatio(given, wanted);
  const filled: Record<string, unknown> = { ...given };
  if (wanted.seconds !== undefined) filled["duration"] ??= wanted.seconds;
  if (rules.reports === "size") {
    // Providers that read `size` accept neither of these.
    delete filled["resolution"];
    delete filled["ratio"];
    filled["size"] ??= wanVideoSize(wanted);
  } else {
    // Providers that read `resolution` accept no `size`; a size also implies the ratio.
    delete filled["size"];
    const shape = typeof given["size"] === "string" ? ratioOfSize(given["size"]) : undefined;
    filled["resolution"] ??= wanted.resolution.toUpperCase();
    if (rules.takesRatio) filled["ratio"] ??= shape ?? wanted.aspectRatio;
  }
  return filled;
}

function checkDuration({ duration }: Fields, { seconds }: BilledParameters): void {
  if (duration === undefined || duration === seconds) return;
  throw invalid("parameters.duration", `parameters.duration: contradicts duration, which is ${seconds}.`);
}

function checkResolution({ resolution, size }: Fields, wanted: BilledParameters): void {
  if (resolution !== undefined && String(resolution).toLowerCase() !== wanted.resolution) {
    const text = `parameters.resolution: contradicts resolution, which is ${wanted.resolution}.`;
    throw invalid("parameters.resolution", text);
  }
  if (size !== undefined && (typeof size !== "string" || resolutionOfSize(size) !== wanted.resolution)) {
    throw invalid("parameters.size", `parameters.size: contradicts resolution, which is ${wanted.resolution}.`);
  }
}

function checkRatio({ ratio, size }: Fields, wanted: BilledParameters): void {
  if (!wanted.ratioRequested) return;
  const reported = ratio ?? (typeof size === "string" ? ratioOfSize(size) : undefined);
  if (reported === undefined || reported === wanted.aspectRatio) return;
  const field = ratio === undefined ? "parameters.size" : "parameters.ratio";
  throw invalid(field, `${field}: contradicts aspect_ratio, which is ${wanted.aspectRatio}.`);
}

function wanVideoSize({ resolution, aspectRatio }: BilledParameters): string {
  const sizes = wanSizes[resolution] ?? {};
  const size = sizes[aspectRatio];
  if (size !== undefined) return size;
  throw invalid("aspect_ratio", `aspect_ratio: must be one of ${Object.keys(sizes).join(", ")} at ${resolution}.`);
}
