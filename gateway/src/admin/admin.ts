import type { Actor } from "@uag/proto/common/v1/actor.ts";
import type { Request } from "express";
import type { GatewayResponse } from "../request-state.ts";
import type { Administrator } from "./administrator.ts";
import type { AdminClients } from "./clients.ts";
import type { Replicas } from "./replicas.ts";

/** One authenticated call of the admin API. */
export interface AdminCall {
  readonly clients: AdminClients;
  readonly replicas: Replicas;
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

export interface AdminResponse {
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
  readonly requested: object;
}

/**
 * Adds a row to the audit log. Done before the action itself, which is refused when its row cannot
 * be written: what was only tried leaves a row, what was done never lacks one.
 */
export async function recordAction({ clients, actor }: AdminCall, { requested, ...what }: Action): Promise<void> {
  await clients.admin.recordAction({ ...what, actor, after: JSON.stringify(requested) });
}

/** Answers a call; undefined when it has written its answer itself. */
export type AdminHandler = (call: AdminCall) => Promise<AdminResponse | undefined>;
