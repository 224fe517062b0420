import type { Receiver } from "@uag/harness/fleet/receiver";
import type { Run } from "@uag/local/run-file";
import { callAdminApi } from "@uag/router/openapi/examples/admin-calls";
import { callPublicApi } from "@uag/router/openapi/examples/public-calls";
import type { ExampleResponse, Json, Recorded } from "@uag/router/openapi/examples/types";
import { billedOperations } from "@uag/router/openapi/routes";
import { adminApi } from "../commands/admin-api.ts";
import { openRecorder, type Recorder } from "./recorder.ts";

const shownWebhookUrl = "https://example.com/webhooks/videos";
const shownProviderUrl = "https://provider.example";

export interface Around {
  /** Receives the webhooks; the gateway must be allowed to call it. */
  readonly receiver: Pick<Receiver, "url">;
  /** Receives every response, unmodified. */
  seen?(came: ExampleResponse): void;
  /** Compares usage with providers' reports, between the public examples and those of the admin API. */
  reconcile?(): Promise<void>;
}

/** Until then, accounts and usage show different amounts each time. Returns the id of the last request. */
async function waitForBills({ wait, recorded }: Recorder, account: string): Promise<string> {
  const billed = recorded.filter(({ operation }) => billedOperations.has(operation)).length;
  const query = { account, limit: 100 };
  const { data } = await wait("admin.usage.events", { query, until: ({ data }) => (data as Json[]).length >= billed });
  return String((data as Json[])[0]?.["request_id"]);
}

/**
 * Sends every example of the reference to a running gateway, and returns the requests and responses
 * that the reference shows.
 * @throws when the gateway rejects one
 */
export async function recordExamples(run: Run, { receiver, seen, reconcile }: Around): Promise<readonly Recorded[]> {
  const names = { [receiver.url]: shownWebhookUrl, [run.simulator_url]: shownProviderUrl };
  const recorder = openRecorder(run, { names, seen: seen ?? (() => {}) });
  const { call, recorded } = recorder;
  await callPublicApi(call, {
    webhookUrl: receiver.url,
    storeResponses: (on) => adminApi(run).call("PATCH", `/accounts/${run.account_id}`, { store_responses: on }),
    waitForBills: () => waitForBills(recorder, run.account_id),
  });
  await reconcile?.();
  await callAdminApi(call, { account: run.account_id });
  return recorded;
}
