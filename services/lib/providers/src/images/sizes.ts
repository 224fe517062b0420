import type { ImageCall } from "./types.ts";

export interface Pixels {
  readonly width: number;
  readonly height: number;
}

const pattern = /^([1-9]\d{0,4})[x*]([1-9]\d{0,4})$/i;

/** `1024x768` or `1024*768`; undefined for anything else. */
export function pixelsOf(size: string): Pixels | undefined {
  const match = pattern.exec(size);
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) };
}

/** The size to send: the client's, under the upstream's name for it; undefined: none. */
export function sizeToSend({ model, request }: ImageCall): string | undefined {
  const { size } = request;
  if (size === undefined) return undefined;
  const named = model.image?.upstreamSizes.get(size) ?? size;
  return named === "" ? undefined : named;
}

/** Of an upstream's aspect ratios (`16:9`), the one nearest to a size. */
export function nearestRatio({ width, height }: Pixels, ratios: readonly string[]): string {
  const wanted = Math.log(width / height);
  let best = ratios[0] as string;
  let min = Number.POSITIVE_INFINITY;
  for (const ratio of ratios) {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    const off = Math.abs(Math.log(across / down) - wanted);
    if (off >= min) continue;
    min = off;
    best = ratio;
  }
  return best;
}
