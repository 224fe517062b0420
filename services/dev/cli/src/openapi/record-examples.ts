import { callAdminApi } from "@uag/gateway/openapi/examples/admin-calls";
import { callPublicApi } from "@uag/gateway/openapi/examples/public-calls";
import type { ExampleResponse, Recorded } from "@uag/gateway/openapi/examples/types";
import type { Receiver } from "@uag/harness/fleet/receiver";
import type { Run } from "@uag/local/run-file";
import { openRecorder } from "./recorder.ts";

const shownWebhookUrl = "https://example.com/webhooks/videos";
const shownProviderUrl = "https://provider.example";

/**
 * Sends every example of the reference to a running gateway, and returns what the reference shows
 * of each.
 * @param receiver receives the webhooks; the gateway must be allowed to call it
 * @param seen receives every response, unmodified
 * @throws when the gateway rejects one
 */
export async function recordExamples(
  run: Run,
  receiver: Pick<Receiver, "url">,
  seen: (came: ExampleResponse) => void = () => {},
): Promise<readonly Recorded[]> {
  const names = { [receiver.url]: shownWebhookUrl, [run.simulator_url]: shownProviderUrl };
  const { call, recorded } = openRecorder(run, { names, seen });
  await callPublicApi(call, { webhookUrl: receiver.url });
  await callAdminApi(call, { account: run.account_id });
  return recorded;
}
