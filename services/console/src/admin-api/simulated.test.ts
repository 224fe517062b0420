import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdminApi } from "./client.ts";
import { SimulatedProviders } from "./simulated.ts";

const openai = { provider: "openai", variable: "OPENAI_API_KEY" };
const xai = { provider: "xai", variable: "XAI_API_KEY" };

function startWith(call: () => Promise<unknown>): SimulatedProviders {
  return new SimulatedProviders({ api: { call } as unknown as AdminApi, token: "t", configured: [openai, xai] });
}

test("a provider with a credential of its own is no longer listed as simulated", async () => {
  const states: Record<string, string> = { openai: "simulated", xai: "simulated" };
  const simulated = startWith(async () => ({ data: Object.entries(states).map(([id, state]) => ({ id, state })) }));
  assert.deepEqual(await simulated.now(), [openai, xai]);
  states["openai"] = "serving";
  assert.deepEqual(await simulated.now(), [xai]);
});

test("while the admin API does not respond, the last known providers are listed within about a second", async () => {
  let call = (): Promise<unknown> => Promise.resolve({ data: [{ id: "xai", state: "simulated" }] });
  const simulated = startWith(() => call());
  assert.deepEqual(await simulated.now(), [xai]);
  call = () => Promise.reject(new Error("refused"));
  assert.deepEqual(await simulated.now(), [xai]);
  call = () => new Promise(() => undefined);
  assert.deepEqual(await simulated.now(), [xai]);
});
