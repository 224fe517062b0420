import { conversations } from "./endpoints/conversations.ts";
import { media } from "./endpoints/media.ts";
import { reading } from "./endpoints/reading.ts";
import { videos } from "./endpoints/videos.ts";
import type { Operation } from "./operation.ts";

/** By name in the table of routes. */
export const operations: Readonly<Record<string, Operation>> = { ...conversations, ...media, ...videos, ...reading };
