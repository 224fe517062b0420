import { callFiles } from "../endpoints/files.ts";
import { callVideos } from "../endpoints/videos.ts";
import { operations } from "../operations.ts";
import { billedOperations } from "../routes.ts";
import type { Call } from "./types.ts";

async function callAll(call: Call, chosen: { readonly billed: boolean }): Promise<void> {
  for (const [operation, { examples = [] }] of Object.entries(operations)) {
    if (billedOperations.has(operation) !== chosen.billed) continue;
    for (const { name, summary, ...sent } of examples) await call(operation, [name, summary], sent);
  }
}

async function callEnvelope(call: Call): Promise<void> {
  const body = { max_usd: "0.01", ttl: 60 };
  const opened = await call("envelopes.create", ["small", "A cent for a minute, and all models"], { body });
  const path = { id: String(opened["id"]) };
  await call("envelopes.get", ["run", "An envelope with its costs"], { path });
  await call("envelopes.close", ["end", "The end of a run"], { path, body: {} });
}

async function callStoredResponse(call: Call): Promise<void> {
  const body = { model: "gpt-4o-mini", input: "Hello!", store: true };
  const stored = await call("responses", ["stored", "A response that is stored"], {
    body,
    until: ({ store }) => store === true,
  });
  const path = { id: String(stored["id"]) };
  await call("responses.get", ["stored", "A stored response"], { path });
  await call("responses.input_items", ["text", "The conversation before a response"], { path });
  await call("responses.delete", ["stored", "A stored response"], { path });
}

interface Around {
  readonly webhookUrl: string;
  /** Changes whether the account stores responses. */
  storeResponses(on: boolean): Promise<unknown>;
  /** Waits until everything that was called is billed, and returns the id of one of the requests. */
  waitForBills(): Promise<string>;
}

/**
 * Runs examples of every operation of the public API. Billed operations come first, so that the
 * account has usage to show.
 */
export async function callPublicApi(call: Call, { webhookUrl, storeResponses, waitForBills }: Around): Promise<void> {
  await callAll(call, { billed: true });
  await callVideos(call, webhookUrl);
  await storeResponses(true);
  await callStoredResponse(call);
  await storeResponses(false);
  const id = await waitForBills();
  await callAll(call, { billed: false });
  await call("receipt", ["request", "The receipt of a request"], { path: { id } });
  await callEnvelope(call);
  await callFiles(call);
}
