import type { Receiver } from "@uag/harness/fleet/receiver";
import type { Run } from "@uag/local/run-file";
import { callAdminApi } from "@uag/router/openapi/examples/admin-calls";
import { callBilled, callUnbilled } from "@uag/router/openapi/examples/public-calls";
import type { ExampleResponse, Json, Recorded } from "@uag/router/openapi/examples/types";
import { adminApi } from "../commands/admin-api.ts";
import { openRecorder, type Recorder } from "./recorder.ts";

const shownWebhookUrl = "https://example.com/webhooks/videos";
const shownProviderUrl = "https://provider.example";

export interface Around {
  /** Receives the webhooks; the gateway must be allowed to call it. */
  readonly receiver: Pick<Receiver, "url">;
  /** Receives every response, unmodified. */
  seen?(came: ExampleResponse): void;
  /** Compares usage with providers' reports, before the first example. */
  reconcile?(): Promise<void>;
}

/** What the account of the examples that show money has used. */
const usage = [
  ["embeddings", { model: "text-embedding-3-small", input: "A boat on a lake" }],
  ["chat.completions", { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hello." }] }],
  ["chat.completions", { model: "gpt-4o-mini", messages: [{ role: "user", content: "Where is the boat?" }] }],
] as const;

/**
 * Opens an account with 100 USD and the same few billed requests in every recording. Examples that
 * show amounts use it, so that a change of a billed example does not change what they show.
 */
async function openUsedAccount({ send }: Recorder): Promise<{ account: string; key: string; request: string }> {
  const account = String((await send("admin.accounts.create", { body: { name: "Sailing club" } }))["id"]);
  await send("admin.accounts.top_up", {
    path: { id: account },
    body: { amount_usd: "100", reference: "invoice-2026-116" },
  });
  const made = await send("admin.keys.create", { body: { account_id: account, key_alias: "website" } });
  const key = String(made["key"]);
  for (const [operation, body] of usage) await send(operation, { body }, key);
  const { data } = await send("admin.usage.events", {
    query: { account },
    until: ({ data }) => (data as Json[]).length === usage.length,
  });
  return { account, key, request: String((data as Json[])[0]?.["request_id"]) };
}

/**
 * Sends every example of the reference to a running gateway, and returns the requests and responses
 * that the reference shows.
 * @throws when the gateway rejects one
 */
export async function recordExamples(run: Run, { receiver, seen, reconcile }: Around): Promise<readonly Recorded[]> {
  const names = { [receiver.url]: shownWebhookUrl, [run.simulator_url]: shownProviderUrl };
  const recorder = openRecorder(run, { names, seen: seen ?? (() => {}) });
  const used = await openUsedAccount(recorder);
  await reconcile?.();
  const callAsUsed = recorder.callWith(used.key);
  await callBilled(recorder.callWith(run.api_key), {
    webhookUrl: receiver.url,
    storeResponses: () => adminApi(run).call("PATCH", `/accounts/${run.account_id}`, { store_responses: true }),
  });
  await callUnbilled(callAsUsed, { request: used.request });
  await callAdminApi(callAsUsed, { account: used.account, videoAccount: run.account_id });
  return recorder.recorded;
}
