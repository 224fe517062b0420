import { GatewayError } from "@uag/kit/errors.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type Secrets, saveSecrets } from "./secrets.ts";

export const seedAccountId = "acct_default";

const startingBalanceNanoUsd = 100_000_000_000n;

export interface SeedOptions {
  billing: string;
  dataDir: string;
  secrets: Secrets;
}

/** Makes sure of one account with 100 USD and one key that works; answers the key. Changes nothing the second time. */
export async function seed(options: SeedOptions): Promise<string> {
  using accounts = createRpcClient<AccountServiceServer>(AccountServiceService, options.billing);
  await accounts.createAccount({ id: seedAccountId, name: "Default" });
  await accounts.topUp({
    accountId: seedAccountId,
    amountNanoUsd: startingBalanceNanoUsd,
    reference: "seed",
    note: "Starting balance",
  });
  return seedKey(options);
}

async function seedKey({ billing, dataDir, secrets }: SeedOptions): Promise<string> {
  using keys = createRpcClient<KeyServiceServer>(KeyServiceService, billing);
  const kept = secrets.api_key;
  if (kept !== undefined) {
    const key = await keys.getKey({ id: kept.id }).catch((error: unknown): Key | undefined => {
      if (error instanceof GatewayError && error.code === "not_found") return undefined;
      throw error;
    });
    if (key !== undefined && key.revokedAtMs === 0n) return kept.secret;
  }
  const { key, secret } = await keys.createKey({
    accountId: seedAccountId,
    name: "default",
    models: [],
    limits: undefined,
    expiresAtMs: 0n,
  });
  if (key === undefined) throw new Error("billing answered a new key without its id");
  await saveSecrets(dataDir, { ...secrets, api_key: { id: key.id, secret } });
  return secret;
}
