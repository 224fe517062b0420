import { createRpcClient, type RpcClient } from "@uag/kit/rpc/client.ts";
import type { Identity } from "@uag/kit/rpc/identity.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import type { Request } from "express";
import type { GatewayResponse } from "../request-state.ts";
import type { Administrator } from "./authenticate.ts";
import { openWebhookClient, type WebhookClient } from "./webhooks-client.ts";

/** Who knows what administrators ask for. */
export interface AdminClients extends Disposable {
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly admin: RpcClient<AdminServiceServer>;
  readonly keys: RpcClient<KeyServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly metering: RpcClient<MeteringServiceServer>;
  readonly usageAdmin: RpcClient<UsageAdminServiceServer>;
  /** Undefined where the router knows no video service. */
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
    admin: createRpcClient<AdminServiceServer>(AdminServiceService, billing, identity),
    keys: createRpcClient<KeyServiceServer>(KeyServiceService, billing, identity),
    ledger: createRpcClient<LedgerServiceServer>(LedgerServiceService, billing, identity),
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

/** One authenticated call of the admin API. */
export interface AdminCall {
  readonly clients: AdminClients;
  readonly admin: Administrator;
  readonly actor: Actor;
  /** The id in the path; empty where there is none. */
  readonly id: string;
  /** With its query. */
  readonly url: string;
  /** What the body's JSON says; undefined on routes without one. */
  readonly body: unknown;
  /** Where clients reach the gateway, without a slash at its end. */
  readonly publicUrl: string;
  readonly request: Request;
  readonly response: GatewayResponse;
}

export interface AdminAnswer {
  readonly status?: number;
  readonly body: object;
}

/** What happens elsewhere than in billing, for the audit log. */
export interface Action {
  /** e.g. `webhook_secret.rotate` */
  readonly action: string;
  readonly targetId: string;
  readonly accountId: string;
  /** What was asked for, without secrets. */
  readonly asked: object;
}

/**
 * Adds a row to the audit log. Done before the action itself, which is refused when its row cannot be written: what was
 * only tried leaves a row, what was done never lacks one.
 */
export async function recordAction({ clients, actor }: AdminCall, { asked, ...what }: Action): Promise<void> {
  await clients.admin.recordAction({ ...what, actor, after: JSON.stringify(asked) });
}

/** Answers a call; undefined when it has written its answer itself. */
export type AdminHandler = (call: AdminCall) => Promise<AdminAnswer | undefined>;
