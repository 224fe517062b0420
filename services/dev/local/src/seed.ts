import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { operatorClient } from "./operator.ts";
import type { Run } from "./run-file.ts";
import { type Secrets, saveSecrets } from "./secrets.ts";

export const seedAccountId = "acct_default";

const startingBalanceNanoUsd = 100_000_000_000n;

export interface SeedOptions {
  run: Pick<Run, "grpc" | "tls">;
  dataDir: string;
  secrets: Secrets;
}

/** Ensures an account with 100 USD and a working key; returns the key. Idempotent. */
export async function seed(options: SeedOptions): Promise<string> {
  using accounts = operatorClient<AccountServiceServer>(options.run, "billing", AccountServiceService);
  await accounts.createAccount({ id: seedAccountId, name: "Default" });
  await accounts.topUp({
    accountId: seedAccountId,
    amountNanoUsd: startingBalanceNanoUsd,
    reference: "seed",
    note: "Starting balance",
  });
  return seedKey(options);
}

async function seedKey({ run, dataDir, secrets }: SeedOptions): Promise<string> {
  using keys = operatorClient<KeyServiceServer>(run, "billing", KeyServiceService);
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
  if (key === undefined) throw new Error("billing returned a new key without an id");
  await saveSecrets(dataDir, { ...secrets, api_key: { id: key.id, secret } });
  return secret;
}
