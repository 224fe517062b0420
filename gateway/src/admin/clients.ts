import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type AlertServiceServer, AlertServiceService } from "@uag/proto/metering/v1/alerts.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { openWebhookClient, type WebhookClient } from "./webhooks-client.ts";

/** The services behind the admin API. */
export interface AdminClients extends Disposable {
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly alerts: RpcClient<AlertServiceServer>;
  readonly admin: RpcClient<AdminServiceServer>;
  readonly keys: RpcClient<KeyServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly prices: RpcClient<PriceServiceServer>;
  readonly metering: RpcClient<MeteringServiceServer>;
  readonly usageAdmin: RpcClient<UsageAdminServiceServer>;
  /** Undefined when the router has no address of video. */
  readonly webhooks: WebhookClient | undefined;
}

export interface AdminAddresses {
  readonly billing: string;
  readonly metering: string;
  readonly video: readonly string[] | undefined;
}

export function openAdminClients({ billing, metering, video }: AdminAddresses, identity: Identity): AdminClients {
  const clients = {
    accounts: createRpcClient<AccountServiceServer>(AccountServiceService, billing, identity),
    alerts: createRpcClient<AlertServiceServer>(AlertServiceService, metering, identity),
    admin: createRpcClient<AdminServiceServer>(AdminServiceService, billing, identity),
    keys: createRpcClient<KeyServiceServer>(KeyServiceService, billing, identity),
    ledger: createRpcClient<LedgerServiceServer>(LedgerServiceService, billing, identity),
    prices: createRpcClient<PriceServiceServer>(PriceServiceService, billing, identity),
    metering: createRpcClient<MeteringServiceServer>(MeteringServiceService, metering, identity),
    usageAdmin: createRpcClient<UsageAdminServiceServer>(UsageAdminServiceService, metering, identity),
    webhooks: video && openWebhookClient(video, identity),
  };
  return {
    ...clients,
    [Symbol.dispose]() {
      for (const client of Object.values(clients)) client?.[Symbol.dispose]();
    },
  };
}
