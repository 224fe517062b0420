import type { QueryName } from "@uag/contract/routes";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { subscription } from "./handlers/subscription.ts";
import { usage } from "./handlers/usage.ts";
import type { Handler } from "./request-state.ts";

export interface Queries extends Disposable {
  readonly handlers: Partial<Record<QueryName, Handler>>;
}

/**
 * Opens the routes that the router serves itself, from billing and, if it has an address, metering.
 */
export function openQueries(addresses: { billing: string; metering: string | undefined }, identity: Identity): Queries {
  const accounts = createRpcClient<AccountServiceServer>(AccountServiceService, addresses.billing, identity);
  const handlers: Partial<Record<QueryName, Handler>> = { subscription: subscription(accounts) };
  if (addresses.metering === undefined) return { handlers, [Symbol.dispose]: () => accounts[Symbol.dispose]() };
  const metering = createRpcClient<MeteringServiceServer>(MeteringServiceService, addresses.metering, identity);
  handlers.usage = usage(metering);
  return {
    handlers,
    [Symbol.dispose]() {
      accounts[Symbol.dispose]();
      metering[Symbol.dispose]();
    },
  };
}
