import type { Protocol } from "@uag/catalog/types.ts";
import { seedanceVideo } from "./seedance.ts";
import type { VideoAdapter } from "./types.ts";
import { wanVideo } from "./wan.ts";
import { xaiVideo } from "./xai.ts";

const adapters: Partial<Record<Protocol, VideoAdapter>> = { dashscope: wanVideo, ark: seedanceVideo, xai: xaiVideo };

/** How a protocol's video tasks are spoken to; undefined when it has none. */
export function videoAdapter(protocol: Protocol): VideoAdapter | undefined {
  return adapters[protocol];
}
