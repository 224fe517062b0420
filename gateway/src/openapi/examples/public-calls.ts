import { callVideos } from "../endpoints/videos.ts";
import { operations } from "../operations.ts";
import type { Call } from "./types.ts";

async function callAll(call: Call, chosen: { readonly billed: boolean }): Promise<void> {
  for (const [operation, { billed = false, examples = [] }] of Object.entries(operations)) {
    if (billed !== chosen.billed) continue;
    for (const { name, summary, ...sent } of examples) await call(operation, [name, summary], sent);
  }
}

interface Around {
  readonly webhookUrl: string;
  /** Waits until everything that was called is billed. */
  waitForBills(): Promise<void>;
}

/**
 * Runs examples of every operation of the public API. Billed operations come first, so that the
 * account has usage to show.
 */
export async function callPublicApi(call: Call, { webhookUrl, waitForBills }: Around): Promise<void> {
  await callAll(call, { billed: true });
  await callVideos(call, webhookUrl);
  await waitForBills();
  await callAll(call, { billed: false });
}
