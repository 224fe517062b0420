import type { UpstreamProvider } from "../provider.ts";
import { arkImages } from "./images.ts";
import { seedanceVideo } from "./video.ts";

/** Volcengine's Ark: Seedream and Seedance. */
export const ark: UpstreamProvider = { images: arkImages, video: seedanceVideo };
