import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ServiceName, serviceNames } from "@uag/contract/routes";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { type CatalogServiceServer, CatalogServiceService } from "@uag/proto/billing/v1/catalog.ts";
import { type EnvelopeServiceServer, EnvelopeServiceService } from "@uag/proto/billing/v1/envelopes.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import { type ProviderTestServiceServer, ProviderTestServiceService } from "@uag/proto/capability/v1/provider_test.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type AlertServiceServer, AlertServiceService } from "@uag/proto/metering/v1/alerts.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { type RefusalServiceServer, RefusalServiceService } from "@uag/proto/metering/v1/refusals.ts";
import {
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";

/** The services behind the admin API. */
export interface AdminClients extends Disposable {
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly alerts: RpcClient<AlertServiceServer>;
  readonly admin: RpcClient<AdminServiceServer>;
  readonly budgets: RpcClient<BudgetServiceServer>;
  readonly catalog: RpcClient<CatalogServiceServer>;
  readonly envelopes: RpcClient<EnvelopeServiceServer>;
  readonly keys: RpcClient<KeyServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly limits: RpcClient<LimitServiceServer>;
  readonly prices: RpcClient<PriceServiceServer>;
  readonly metering: RpcClient<MeteringServiceServer>;
  readonly refusals: RpcClient<RefusalServiceServer>;
  readonly usageAdmin: RpcClient<UsageAdminServiceServer>;
  /** Tests of providers, by the capability service that calls them; undefined without its address. */
  readonly providerTests: Readonly<Partial<Record<ServiceName, RpcClient<ProviderTestServiceServer>>>>;
  /** Undefined when the router has no address of notifications. */
  readonly notifications: NotificationClient | undefined;
}

/** The calls of notifications that the router makes. */
export type NotificationClient = Pick<
  RpcClient<NotificationServiceServer>,
  | "rotateSecret"
  | "listSecrets"
  | "endSecret"
  | "listDeliveries"
  | "getDelivery"
  | "replay"
  | "checkTargets"
  | "listUnconfirmed"
  | "listBudgets"
> &
  Disposable;

/** @throws {GatewayError} `not_found` when the router has no address of notifications */
export function notificationsOf({ notifications }: Pick<AdminClients, "notifications">): NotificationClient {
  if (notifications === undefined) throw new GatewayError("not_found");
  return notifications;
}

export interface AdminAddresses {
  readonly billing: string;
  readonly metering: string;
  readonly notifications: string | undefined;
  /** Of the capability services. */
  readonly services: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
}

export function openAdminClients(
  { billing, metering, notifications, services }: AdminAddresses,
  identity: Identity,
): AdminClients {
  const providerTests = Object.fromEntries(
    serviceNames.flatMap((service) => {
      const addresses = services[service];
      if (addresses === undefined) return [];
      const client = createRpcClient<ProviderTestServiceServer>(ProviderTestServiceService, addresses.join(), identity);
      return [[service, client]];
    }),
  ) as AdminClients["providerTests"];
  const clients = {
    accounts: createRpcClient<AccountServiceServer>(AccountServiceService, billing, identity),
    alerts: createRpcClient<AlertServiceServer>(AlertServiceService, metering, identity),
    admin: createRpcClient<AdminServiceServer>(AdminServiceService, billing, identity),
    budgets: createRpcClient<BudgetServiceServer>(BudgetServiceService, billing, identity),
    catalog: createRpcClient<CatalogServiceServer>(CatalogServiceService, billing, identity),
    envelopes: createRpcClient<EnvelopeServiceServer>(EnvelopeServiceService, billing, identity),
    keys: createRpcClient<KeyServiceServer>(KeyServiceService, billing, identity),
    ledger: createRpcClient<LedgerServiceServer>(LedgerServiceService, billing, identity),
    limits: createRpcClient<LimitServiceServer>(LimitServiceService, billing, identity),
    prices: createRpcClient<PriceServiceServer>(PriceServiceService, billing, identity),
    metering: createRpcClient<MeteringServiceServer>(MeteringServiceService, metering, identity),
    refusals: createRpcClient<RefusalServiceServer>(RefusalServiceService, metering, identity),
    usageAdmin: createRpcClient<UsageAdminServiceServer>(UsageAdminServiceService, metering, identity),
    notifications:
      notifications === undefined
        ? undefined
        : createRpcClient<NotificationServiceServer>(NotificationServiceService, notifications, identity),
  };
  return {
    ...clients,
    providerTests,
    [Symbol.dispose]() {
      for (const client of [...Object.values(clients), ...Object.values(providerTests)]) client?.[Symbol.dispose]();
    },
  };
}
