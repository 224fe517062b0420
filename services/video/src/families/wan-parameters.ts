import type { Fields } from "@uag/capability/request/body.ts";
import { ratioOfSize, resolutionOfSize, wanSizes } from "@uag/upstreams/dashscope/video-sizes.ts";
import { invalid } from "./family.ts";

export interface Wanted {
  readonly seconds: number | undefined;
  readonly resolution: string;
  readonly aspectRatio: string;
  /** The client asked for that ratio; otherwise it is our default and gives way. */
  readonly ratioRequested: boolean;
}

export interface ParameterRules {
  /** In which words the provider is told the resolution. */
  readonly reports: "resolution" | "size";
  /** The video's shape is free, not that of a picture in the input. */
  readonly takesRatio: boolean;
}

/**
 * The parameters for the provider: the client's own, which must say the same as what is billed, and
 * what is billed where they say nothing.
 * @throws {GatewayError} `invalid_request` when they contradict it
 */
export function wanParameters(given: Fields, wanted: Wanted, rules: ParameterRules): Fields {
  checkDuration(given, wanted);
  checkResolution(given, wanted);
  checkRatio(given, wanted);
  const filled: Record<string, unknown> = { ...given };
  if (wanted.seconds !== undefined) filled["duration"] ??= wanted.seconds;
  if (rules.reports === "size") {
    // Where the provider reads `size` it takes neither of these.
    delete filled["resolution"];
    delete filled["ratio"];
    filled["size"] ??= sizeOf(wanted);
  } else {
    // Where the provider reads `resolution` it takes no `size`; a size says the shape besides.
    delete filled["size"];
    const shape = typeof given["size"] === "string" ? ratioOfSize(given["size"]) : undefined;
    filled["resolution"] ??= wanted.resolution.toUpperCase();
    if (rules.takesRatio) filled["ratio"] ??= shape ?? wanted.aspectRatio;
  }
  return filled;
}

function checkDuration({ duration }: Fields, { seconds }: Wanted): void {
  if (duration === undefined || duration === seconds) return;
  throw invalid("parameters.duration", `parameters.duration: contradicts duration, which is ${seconds}.`);
}

function checkResolution({ resolution, size }: Fields, wanted: Wanted): void {
  if (resolution !== undefined && String(resolution).toLowerCase() !== wanted.resolution) {
    const text = `parameters.resolution: contradicts resolution, which is ${wanted.resolution}.`;
    throw invalid("parameters.resolution", text);
  }
  if (size !== undefined && (typeof size !== "string" || resolutionOfSize(size) !== wanted.resolution)) {
    throw invalid("parameters.size", `parameters.size: contradicts resolution, which is ${wanted.resolution}.`);
  }
}

function checkRatio({ ratio, size }: Fields, wanted: Wanted): void {
  if (!wanted.ratioRequested) return;
  const reported = ratio ?? (typeof size === "string" ? ratioOfSize(size) : undefined);
  if (reported === undefined || reported === wanted.aspectRatio) return;
  const field = ratio === undefined ? "parameters.size" : "parameters.ratio";
  throw invalid(field, `${field}: contradicts aspect_ratio, which is ${wanted.aspectRatio}.`);
}

function sizeOf({ resolution, aspectRatio }: Wanted): string {
  const sizes = wanSizes[resolution] ?? {};
  const size = sizes[aspectRatio];
  if (size !== undefined) return size;
  throw invalid("aspect_ratio", `aspect_ratio: at ${resolution} it is one of ${Object.keys(sizes).join(", ")}.`);
}
