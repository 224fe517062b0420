import { operatorClient } from "@uag/local/operator";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { createTestClient, type TestClient } from "./client.ts";
import type { TestFleet } from "./with-fleet.ts";

type Called = Pick<TestFleet, "run">;

const noLimits: Limits = {
  requestsPerMinute: 0n,
  tokensPerMinute: 0n,
  concurrentRequests: 0n,
  monthlyBudgetNanoUsd: 0n,
};

export interface LimitedKey {
  readonly key: Key;
  readonly secret: string;
  readonly client: TestClient;
}

/** Creates a key with these limits, by default on the fleet's own account. */
export async function newKey(
  fleet: Called,
  limits: Partial<Limits>,
  accountId = fleet.run.account_id,
): Promise<LimitedKey> {
  using keys = operatorClient<KeyServiceServer>(fleet.run, "billing", KeyServiceService);
  const request = { accountId, name: "limited", models: [], expiresAtMs: 0n };
  const { key, secret } = await keys.createKey({ ...request, limits: { ...noLimits, ...limits } });
  return { key: key as Key, secret, client: createTestClient({ baseUrl: fleet.run.base_url, apiKey: secret }) };
}

/** Changes a key's limits. */
export async function setLimits(fleet: Called, key: Key, limits: Partial<Limits>): Promise<void> {
  using keys = operatorClient<KeyServiceServer>(fleet.run, "billing", KeyServiceService);
  const rest = { name: "", models: [], expiresAtMs: 0n };
  await keys.updateKey({ id: key.id, fields: ["limits"], limits: { ...noLimits, ...limits }, ...rest });
}

/** Creates an account with this much money, and a key for it. */
export async function newAccount(fleet: Called, nanoUsd: bigint): Promise<LimitedKey> {
  using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
  const { id } = await accounts.createAccount({ id: "", name: "proof" });
  await accounts.topUp({ accountId: id, amountNanoUsd: nanoUsd, reference: "first", note: "" });
  return newKey(fleet, {}, id);
}

/** Creates an account without any money, and a key for it. */
export async function newEmptyAccount(fleet: Called): Promise<LimitedKey> {
  using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
  const { id } = await accounts.createAccount({ id: "", name: "empty" });
  return newKey(fleet, {}, id);
}

/** Adds money to the fleet's account, so that no proof runs out of it. */
export async function topUp(fleet: Called, nanoUsd: bigint, reference: string): Promise<void> {
  using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
  await accounts.topUp({ accountId: fleet.run.account_id, amountNanoUsd: nanoUsd, reference, note: "" });
}

/** The available balance of an account, nano-USD. */
export async function availableOf(fleet: Called, accountId: string): Promise<bigint> {
  using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
  return (await accounts.getAccount({ id: accountId })).availableNanoUsd;
}
