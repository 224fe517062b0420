import { callBatches } from "../endpoints/batches.ts";
import { callFiles } from "../endpoints/files.ts";
import { callMessageBatches } from "../endpoints/message-batches.ts";
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
  const begun = await call("responses", ["background", "A response in the background"], {
    body: { ...body, background: true },
  });
  const later = { id: String(begun["id"]) };
  await call("responses.get", ["background", "A response that was made in the background"], {
    path: later,
    until: ({ status }) => status === "completed",
  });
  await call("responses.cancel", ["ended", "A response that has ended"], { path: later, body: {} });
}

interface Around {
  readonly webhookUrl: string;
  /** Has the account store responses. */
  storeResponses(): Promise<unknown>;
}

/** Runs examples of the public API's billed operations. */
export async function callBilled(call: Call, { webhookUrl, storeResponses }: Around): Promise<void> {
  await callAll(call, { billed: true });
  await callVideos(call, webhookUrl);
  await storeResponses();
  await callStoredResponse(call);
  await callBatches(call);
  await callMessageBatches(call);
}

/**
 * Runs examples of the public API's other operations, which show what the account has used.
 * @param request the id of a request of the account
 */
export async function callUnbilled(call: Call, { request }: { readonly request: string }): Promise<void> {
  await callAll(call, { billed: false });
  await call("receipt", ["request", "The receipt of a request"], { path: { id: request } });
  await callEnvelope(call);
  await callFiles(call);
}
