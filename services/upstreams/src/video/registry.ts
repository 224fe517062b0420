import type { Protocol } from "@uag/catalog/types.ts";
import { seedanceVideo } from "../ark/video.ts";
import { wanVideo } from "../dashscope/video.ts";
import { xaiVideo } from "../xai/video.ts";
import type { VideoAdapter } from "./types.ts";

const adapters: Partial<Record<Protocol, VideoAdapter>> = { dashscope: wanVideo, ark: seedanceVideo, xai: xaiVideo };

/** How a protocol's video tasks are spoken to; undefined when it has none. */
export function videoAdapter(protocol: Protocol): VideoAdapter | undefined {
  return adapters[protocol];
}
