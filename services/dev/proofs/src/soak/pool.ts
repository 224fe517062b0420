import { adminApi } from "@uag/cli/commands/admin-api";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

/** A model whose provider has a pool of credentials with caps. */
export const pooledModel = "pooled";
const provider = "pool";
/** Both together cover part of a soak's requests: the rest is refused. */
const dailyCapUsd = 0.01;

/** Adds a provider at the simulator, two credentials with a cap for a day, and its model, as an operator does. */
export async function addPool(fleet: TestFleet): Promise<void> {
  const { run, client } = fleet;
  const api = adminApi(run);
  await api.call("POST", "/providers", {
    id: provider,
    protocol: "openai",
    base_url: `${run.simulator_url}/openai/v1`,
  });
  for (const name of ["first", "second"])
    await api.call("POST", `/providers/${provider}/credentials`, {
      name,
      api_key: `sk-pool-${name}-0123456789`,
      daily_cap_usd: dailyCapUsd,
    });
  await api.call("POST", "/models", {
    id: pooledModel,
    owned_by: "openai",
    operations: ["chat.completions"],
    context_tokens: 128_000,
    max_output_tokens: 16_384,
    price: { input_tokens: 0.15, output_tokens: 0.6 },
    upstreams: [{ provider, model: "gpt-4o-mini" }],
  });
  const body = { model: pooledModel, max_tokens: 16, messages: [{ role: "user", content: "hello" }] };
  const isServed = async (): Promise<boolean> => (await client.post("/v1/chat/completions", body)).status === 200;
  await waitFor(isServed, { timeoutMs: 30_000, what: "a response of the pool" });
}
