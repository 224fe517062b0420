import type { AdminToken } from "@uag/proto/billing/v1/admin.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";

/** Whose admin token a request carries. */
export interface Administrator {
  readonly actor: Actor;
  readonly role: AdminToken["role"];
  /** The one account that the token is good for; empty for all. */
  readonly accountId: string;
}
