import { probe } from "../media/probe.ts";
import { rejectXai } from "./protocol.ts";

/** Rejects a URL or data URL without an image. */
export function checkImage(url: string): void {
  const found = probe(url);
  if (found.kind === "not-a-url") throw rejectXai(400, "Invalid image URL.");
  if (found.kind === "broken") throw rejectXai(400, "Failed to decode the image.");
  if (found.kind === "unreachable") throw rejectXai(400, "Failed to download the image.");
}
