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
  /** The id in the path; empty when there is none. */
  readonly id: string;
  /** With its query. */
  readonly url: string;
  /** The parsed body; undefined on routes without one. */
  readonly body: unknown;
  /** The public base URL of the gateway, without a trailing slash. */
  readonly publicUrl: string;
  readonly request: Request;
  readonly response: GatewayResponse;
}

export interface AdminResponse {
  readonly status?: number;
  readonly body: object;
}

/** An action outside billing, for the audit log. */
export interface Action {
  /** e.g. `webhook_secret.rotate` */
  readonly action: string;
  readonly targetId: string;
  readonly accountId: string;
  /** What was requested, without secrets. */
  readonly requested: object;
}

/**
 * Adds a row to the audit log. Called before the action itself, which is refused when its row
 * cannot be written: an attempt may leave a row, but no action lacks one.
 */
export async function recordAction({ clients, actor }: AdminCall, { requested, ...what }: Action): Promise<void> {
  await clients.admin.recordAction({ ...what, actor, after: JSON.stringify(requested) });
}

/** Handles a call; returns undefined when it has written the response itself. */
export type AdminHandler = (call: AdminCall) => Promise<AdminResponse | undefined>;
