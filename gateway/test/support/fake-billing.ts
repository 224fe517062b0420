import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AccountServiceServer, AccountServiceService, type Subscription } from "@uag/proto/billing/v1/accounts.ts";
import {
  type KeyServiceServer,
  KeyServiceService,
  type ResolveKeyResponse,
  type ResolveKeysResponse,
} from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { digestKey } from "@uag/runtime/api-key";
import { createLogger } from "@uag/runtime/log";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";

export const pepper = "00112233445566778899aabbccddeeff";

export interface FakeBilling extends AsyncDisposable {
  readonly address: string;
  /** How often keys were looked up. */
  lookups: number;
  /** Delays the response of lookups until the promise resolves. */
  hold: Promise<void> | undefined;
  put(secret: string, caller: Partial<Caller>, revoked?: boolean): void;
}

const notServed = async (): Promise<never> => {
  throw new GatewayError("internal_error");
};

const theSubscription: Subscription = {
  hasPaymentMethod: true,
  planId: "prepaid",
  planTitle: "Prepaid",
  hardLimitNanoUsd: 100_250_000_000n,
  systemHardLimitNanoUsd: 100_250_000_000n,
  accessUntil: 0n,
};

export function digestOf(secret: string): string {
  return digestKey(secret, Buffer.from(pepper, "hex")).toString("hex");
}

/** Billing's key and account services over real gRPC, from a table in memory. */
export async function startFakeBilling(port = 0): Promise<FakeBilling> {
  const log = createLogger({ service: "fake-billing", level: "silent" });
  const table = new Map<string, ResolveKeyResponse>();
  const keys = {
    async resolveKeys({ keys: received }: { keys: { digest: Buffer }[] }): Promise<ResolveKeysResponse> {
      billing.lookups++;
      await billing.hold;
      return {
        keys: received.map(({ digest }) => table.get(digest.toString("hex")) ?? { caller: undefined, revoked: false }),
      };
    },
    createKey: notServed,
    getKey: notServed,
    listKeys: notServed,
    listKeyIds: notServed,
    updateKey: notServed,
    revokeKey: notServed,
  };
  const accounts = {
    createAccount: notServed,
    getAccount: notServed,
    listAccounts: notServed,
    topUp: notServed,
    getSubscription: async () => theSubscription,
  };
  const server = await serveRpc({
    identity: insecure,
    host: "127.0.0.1",
    port,
    services: [
      unaryService<KeyServiceServer>(KeyServiceService, keys, log),
      unaryService<AccountServiceServer>(AccountServiceService, accounts, log),
    ],
  });
  const billing: FakeBilling = {
    address: `127.0.0.1:${server.port}`,
    lookups: 0,
    hold: undefined,
    put(secret, caller, revoked = false) {
      table.set(digestOf(secret), {
        caller: Caller.fromPartial({ keyId: "key_1", accountId: "acc_1", ...caller }),
        revoked,
      });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return billing;
}
