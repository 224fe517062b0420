import type { Clock } from "@uag/runtime/clock";
import { Failures } from "@uag/runtime/failures";
import type { Logger } from "@uag/runtime/log";
import type { AdminClients } from "./clients.ts";

export interface FailedLogin {
  readonly address: string;
  readonly requestId: string;
  readonly reason: string;
}

/** Rows of failed logins in the audit log: as a burst, and per second, over all clients. */
const rows = { free: 60, perSecond: 1, max: 2 };
const maxReasonLength = 200;

/**
 * Writes a row of the audit log for each failed login. Beyond the limit the next row has the number
 * of those without one.
 */
export class FailedLogins {
  readonly #clients: Pick<AdminClients, "admin">;
  readonly #log: Logger;
  readonly #rows: Failures;
  #withoutRow = 0;

  constructor(options: { clients: Pick<AdminClients, "admin">; clock: Clock; log: Logger }) {
    this.#clients = options.clients;
    this.#log = options.log;
    this.#rows = new Failures({ clock: options.clock, ...rows });
  }

  /** Returns at once: the client does not wait for the row. */
  add({ address, requestId, reason }: FailedLogin): void {
    this.#log.warn({ client_address: address, request_id: requestId }, "admin login failed");
    if (this.#rows.waitMs("") > 0) {
      this.#withoutRow++;
      return;
    }
    this.#rows.add("");
    const unlisted = this.#withoutRow;
    this.#withoutRow = 0;
    const after = JSON.stringify({ reason: reason.slice(0, maxReasonLength), ...(unlisted > 0 && { unlisted }) });
    const actor = { id: "anonymous", name: "", requestId, clientAddress: address };
    const row = { actor, action: "admin.login_failed", targetId: address || "unknown", accountId: "", after };
    this.#clients.admin.recordAction(row).catch((error: unknown) => {
      this.#withoutRow += unlisted + 1;
      this.#log.error({ err: error, request_id: requestId }, "recording a failed login failed");
    });
  }
}
