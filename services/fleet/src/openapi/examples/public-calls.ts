import { conversations } from "../endpoints/conversations.ts";
import { media } from "../endpoints/media.ts";
import { reading } from "../endpoints/reading.ts";
import { callVideos } from "../endpoints/videos.ts";
import type { Operation } from "../operation.ts";
import type { Carry } from "./recorder.ts";

async function callAll(operations: Readonly<Record<string, Operation>>, carry: Carry): Promise<void> {
  for (const [operation, { examples = [] }] of Object.entries(operations))
    for (const { name, summary, ...sent } of examples) await carry(operation, [name, summary], sent);
}

/** Runs examples of every operation of the public API, in a working order. */
export async function callPublicApi(carry: Carry, { webhookUrl }: { readonly webhookUrl: string }): Promise<void> {
  await callAll({ ...conversations, ...media }, carry);
  await callVideos(carry, webhookUrl);
  await callAll(reading, carry);
}
