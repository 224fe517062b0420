import type { QueryName } from "@uag/contract/routes";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type EnvelopeServiceServer, EnvelopeServiceService } from "@uag/proto/billing/v1/envelopes.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { envelopes } from "./handlers/envelopes.ts";
import { receipt } from "./handlers/receipt.ts";
import { subscription } from "./handlers/subscription.ts";
import { usage } from "./handlers/usage.ts";
import type { ReceiptSigner } from "./receipts/signature.ts";
import type { Handler } from "./request-state.ts";

export interface Queries extends Disposable {
  readonly handlers: Partial<Record<QueryName, Handler>>;
}

/**
 * Opens the routes that the router serves itself, from billing and, if it has an address, metering.
 */
export function openQueries(
  addresses: { billing: string; metering: string | undefined },
  { identity, signer }: { identity: Identity; signer: ReceiptSigner | undefined },
): Queries {
  const accounts = createRpcClient<AccountServiceServer>(AccountServiceService, addresses.billing, identity);
  const handlers: Partial<Record<QueryName, Handler>> = { subscription: subscription(accounts) };
  if (addresses.metering === undefined) return { handlers, [Symbol.dispose]: () => accounts[Symbol.dispose]() };
  const metering = createRpcClient<MeteringServiceServer>(MeteringServiceService, addresses.metering, identity);
  const billing = createRpcClient<AdminServiceServer>(AdminServiceService, addresses.billing, identity);
  const envelopeService = createRpcClient<EnvelopeServiceServer>(EnvelopeServiceService, addresses.billing, identity);
  Object.assign(handlers, envelopes({ billing: envelopeService, metering }));
  handlers.usage = usage(metering);
  handlers.receipt = receipt({ metering, billing, signer });
  return {
    handlers,
    [Symbol.dispose]() {
      accounts[Symbol.dispose]();
      billing[Symbol.dispose]();
      envelopeService[Symbol.dispose]();
      metering[Symbol.dispose]();
    },
  };
}
