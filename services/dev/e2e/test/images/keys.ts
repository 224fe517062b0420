import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { operatorClient } from "@uag/local/operator";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type CreateKeyRequest, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";

export type RequestedKey = Partial<Pick<CreateKeyRequest, "accountId" | "models">> & { limits?: Partial<Limits> };

const unlimited: Limits = {
  requestsPerMinute: 0n,
  tokensPerMinute: 0n,
  concurrentRequests: 0n,
  monthlyBudgetNanoUsd: 0n,
};
const penniless = "acct_penniless";

/**
 * A client of the fleet with a new key: by default of an account without money, and without limits.
 */
export async function clientOf({ run }: Pick<TestFleet, "run">, requested: RequestedKey): Promise<TestClient> {
  using accounts = operatorClient<AccountServiceServer>(run, "billing", AccountServiceService);
  using keys = operatorClient<KeyServiceServer>(run, "billing", KeyServiceService);
  await accounts.createAccount({ id: penniless, name: "Penniless" });
  const { accountId = penniless, models = [], limits } = requested;
  const key = { accountId, models, name: "k", expiresAtMs: 0n, limits: { ...unlimited, ...limits } };
  const { secret } = await keys.createKey(key);
  return createTestClient({ baseUrl: run.base_url, apiKey: secret });
}
