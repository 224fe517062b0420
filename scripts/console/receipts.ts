import { adminApi } from "@uag/cli/commands/admin-api";
import { setFault } from "@uag/harness/fleet/faults";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Run } from "@uag/local/run-file";

/** The client's own ids of two requests: one that a fallback responded to, and one that failed. */
export const receipts = { fallback: "order-2041", failed: "order-2042" } as const;

interface Fault {
  readonly run: Run;
  readonly apiKey: string;
  readonly model: string;
  readonly requestId: string;
  /** The status with which the provider responds. */
  readonly status: number;
}

async function callWithFault({ run, apiKey, model, requestId, status }: Fault): Promise<void> {
  const endFault = await setFault(run.simulator_url, { status }, { model });
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "x-request-id": requestId,
  };
  const body = JSON.stringify({ model, max_tokens: 60, messages: [{ role: "user", content: "Where is my order?" }] });
  await (await fetch(`${run.base_url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  await endFault();
}

/** Gives a provider two credentials, and one of its models a fallback. */
async function addFallback(run: Run, model: string, fallback: string): Promise<void> {
  const api = adminApi(run);
  const revisionOf = async (path: string): Promise<number> =>
    ((await api.call("GET", path)) as { revision: number }).revision;
  const base = { base_url: `${run.simulator_url}/xai/v1`, revision: await revisionOf("/providers/xai") };
  await api.call("POST", "/providers/xai/credentials", { name: "production", api_key: "xai-production-1111", ...base });
  await api.call("POST", "/providers/xai/credentials", { name: "spare", api_key: "xai-spare-2222", priority: 1 });
  const path = `/models/${model}`;
  await api.call("PATCH", path, { revision: await revisionOf(path), fallbacks: [fallback] });
  const fallbacksOf = async (): Promise<boolean> =>
    ((await api.call("GET", path)) as { fallbacks: readonly string[] }).fallbacks.includes(fallback);
  await waitFor(fallbacksOf, { what: `the fallback of ${model}` });
}

/** Makes requests whose receipts show why calls were routed, and why one failed. */
export async function makeReceipts(run: Run, apiKey: string): Promise<void> {
  await addFallback(run, "grok-4.7", "grok-4.6");
  await callWithFault({ run, apiKey, model: "grok-4.7", requestId: receipts.fallback, status: 429 });
  await callWithFault({ run, apiKey, model: "kimi-k3", requestId: receipts.failed, status: 401 });
}
