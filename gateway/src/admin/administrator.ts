import type { AdminToken } from "@uag/proto/billing/v1/admin.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";

/** The owner of a request's admin token. */
export interface Administrator {
  readonly actor: Actor;
  readonly role: AdminToken["role"];
  /** The one account that the token may access; empty for all. */
  readonly accountId: string;
  /** The budget of the account that the token is limited to, with those below; empty for the whole account. */
  readonly budgetId: string;
}
