import assert from "node:assert/strict";
import type { TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import OpenAI, { toFile } from "openai";
import { clientOf, type RequestedKey } from "./keys.ts";

export type Json = Record<string, unknown>;
export const path = "/v1/images/generations";
export const prompt = "A lighthouse in the snow";

/** A fleet that generates images, with input images. */
export interface ImagePlace {
  readonly fleet: SharedFleet;
  readonly openai: OpenAI;
  /** 1024 x 1024, opaque and transparent. */
  readonly picture: Buffer;
  readonly mask: Buffer;
  /** Sets a fault of the simulator until the work is done. */
  under<T>(faults: object, match: object, work: () => Promise<T>): Promise<T>;
  /** A client with its own key, by default of an account without money. */
  clientOf(key: RequestedKey): Promise<TestClient>;
}

/** The fleet; available once the suite has started. */
export type PlaceOf = () => ImagePlace;

export async function openPlace(): Promise<ImagePlace> {
  const fleet = await openSharedFleet();
  const openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  const draw = async (background: "opaque" | "transparent"): Promise<Buffer> => {
    const made = await openai.images.generate({ model: "gamma-image-1", prompt, quality: "low", background });
    return bytesOf(made.data?.[0]);
  };
  const [picture, mask] = await Promise.all([draw("opaque"), draw("transparent")]);
  return {
    fleet,
    openai,
    picture,
    mask,
    clientOf: (key) => clientOf(fleet, key),
    async under(faults, match, work) {
      const clear = await setFault(fleet.run.simulator_url, faults, match);
      try {
        return await work();
      } finally {
        await clear();
      }
    },
  };
}

/** A PNG's width and height, from its header. */
export function pngDimensions(png: Buffer): string {
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

export function bytesOf(image: { b64_json?: string | undefined } | undefined): Buffer {
  return Buffer.from(image?.b64_json ?? assert.fail("there is no image"), "base64");
}

export function upload(name: string, bytes: Buffer): Promise<File> {
  return toFile(bytes, name);
}
