import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import type { Clock } from "@uag/runtime/clock";
import { Failures } from "@uag/runtime/failures";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { Events } from "./events.ts";

/** Who acts, and from where. */
export interface Actor {
  readonly id: string;
  readonly name: string;
  readonly requestId: string;
  readonly clientAddress: string;
}

/** An action, as recorded in the audit log. */
export interface Action {
  /** e.g. `console.sign_in` */
  readonly action: `console.${string}`;
  readonly targetId: string;
  /** The account concerned; null for none. */
  readonly accountId: string | null;
  /** Details, without secrets. */
  readonly after?: object;
}

/** Rows at once, and per second, that failed sign-ins may add to the log. */
const rows = { free: 60, perSecond: 1, max: 2 };

/** Writes what people do with users and sessions to billing's audit log. */
export class Audit implements Disposable {
  readonly #client: RpcClient<AdminServiceServer>;
  readonly #events: Events;
  readonly #rows: Failures;
  #withoutRow = 0;

  constructor(options: { address: string; identity: Identity; clock: Clock; events: Events }) {
    this.#client = createRpcClient<AdminServiceServer>(AdminServiceService, options.address, options.identity);
    this.#events = options.events;
    this.#rows = new Failures({ clock: options.clock, ...rows });
  }

  /**
   * Adds a row. Called before the action itself: an action that fails leaves a row, and none lacks
   * one.
   * @throws {GatewayError} when it cannot be written
   */
  async record(actor: Actor, { action, targetId, accountId, after = {} }: Action): Promise<void> {
    const row = { actor, action, targetId, accountId: accountId ?? "", after: JSON.stringify(after) };
    await this.#client.recordAction(row);
  }

  /**
   * Adds a row for a failed sign-in, and returns at once. It names a user that exists: anything
   * else in the e-mail field may be a password, and the log is append-only. When there are too
   * many, the next row contains the number of those without one.
   */
  signInFailed(
    user: { readonly email: string } | null,
    { requestId, clientAddress }: Pick<Actor, "requestId" | "clientAddress">,
  ): void {
    this.#events.signInFailed(clientAddress, requestId);
    if (this.#rows.waitMs("") > 0) {
      this.#withoutRow++;
      return;
    }
    this.#rows.add("");
    const unlisted = this.#withoutRow;
    this.#withoutRow = 0;
    const actor = { id: "anonymous", name: "", requestId, clientAddress };
    const after = { email: user?.email ?? null, ...(unlisted > 0 && { unlisted }) };
    const row = {
      action: "console.sign_in_failed",
      targetId: clientAddress || "unknown",
      accountId: null,
      after,
    } as const;
    this.record(actor, row).catch((error: unknown) => {
      this.#withoutRow += unlisted + 1;
      this.#events.unrecorded(error);
    });
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
