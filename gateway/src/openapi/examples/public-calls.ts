import { callVideos } from "../endpoints/videos.ts";
import { operations } from "../operations.ts";
import type { Call } from "./types.ts";

async function callAll(call: Call, chosen: { readonly billed: boolean }): Promise<void> {
  for (const [operation, { billed = false, examples = [] }] of Object.entries(operations)) {
    if (billed !== chosen.billed) continue;
    for (const { name, summary, ...sent } of examples) await call(operation, [name, summary], sent);
  }
}

/**
 * Runs examples of every operation of the public API. What costs comes first, so that the account's
 * usage has something to show.
 */
export async function callPublicApi(call: Call, { webhookUrl }: { readonly webhookUrl: string }): Promise<void> {
  await callAll(call, { billed: true });
  await callVideos(call, webhookUrl);
  await callAll(call, { billed: false });
}
