import { conversations } from "../endpoints/conversations.ts";
import { media } from "../endpoints/media.ts";
import { reading } from "../endpoints/reading.ts";
import { callVideos } from "../endpoints/videos.ts";
import type { Operation } from "../operation.ts";
import type { Call } from "./recorder.ts";

async function callAll(operations: Readonly<Record<string, Operation>>, call: Call): Promise<void> {
  for (const [operation, { examples = [] }] of Object.entries(operations))
    for (const { name, summary, ...sent } of examples) await call(operation, [name, summary], sent);
}

/** Runs examples of every operation of the public API, in a working order. */
export async function callPublicApi(call: Call, { webhookUrl }: { readonly webhookUrl: string }): Promise<void> {
  await callAll({ ...conversations, ...media }, call);
  await callVideos(call, webhookUrl);
  await callAll(reading, call);
}
