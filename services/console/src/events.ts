import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import { logServerError } from "@uag/runtime/server-error";

/** Business events: each is a log line and a metric. */
export interface Events {
  /** A request was completed. */
  responded(status: number): void;
  signedIn(by: "password" | "oidc" | "invitation"): void;
  signInFailed(address: string, requestId: string): void;
  /** A sign-in with the OpenID Connect provider failed. */
  oidcFailed(error: unknown, requestId: string): void;
  /** An account's budget of invitations is used up. */
  invitationRefused(accountId: string): void;
  /** A mail to a user was accepted by the mail server, or was not. */
  mailed(outcome: "sent" | "failed", error?: unknown): void;
  /** A session's credential could not be revoked; it expires on its own. */
  leftBehind(error: unknown): void;
  /** The admin API rejects the console's own token. */
  tokenRefused(error: unknown): void;
  /** A row of the audit log could not be written in the background. */
  unrecorded(error: unknown): void;
  /** A request got an error response. One with a status of 500 or more is logged with its cause. */
  refused(error: GatewayError, requestId: string): void;
}

export function createEvents(log: Logger, metrics: Metrics): Events {
  const requests = metrics.counter("uag_console_requests_total");
  const signIns = metrics.counter("uag_console_sign_ins_total");
  const invitationsRefused = metrics.counter("uag_console_invitations_refused_total");
  const mails = metrics.counter("uag_console_mails_total");
  return {
    responded: (status) => requests.inc({ status: String(status) }),
    signedIn: (by) => signIns.inc({ outcome: by }),
    signInFailed(address, requestId) {
      signIns.inc({ outcome: "failed" });
      log.warn({ client_address: address, request_id: requestId }, "sign-in failed");
    },
    oidcFailed: (error, requestId) => log.warn({ err: error, request_id: requestId }, "sign-in with OIDC failed"),
    invitationRefused(accountId) {
      invitationsRefused.inc();
      log.warn({ account_id: accountId }, "invitation not sent: the account has used up its message budget");
    },
    mailed(outcome, error) {
      mails.inc({ outcome });
      if (outcome === "failed") log.warn({ err: error }, "sending mail to a user failed");
    },
    leftBehind: (error) => log.warn({ err: error }, "revoking a session's credentials failed"),
    tokenRefused: (error) => log.error({ err: error }, "the admin API rejects CONSOLE_ADMIN_TOKEN"),
    unrecorded: (error) => log.error({ err: error }, "recording a failed sign-in failed"),
    refused: (error, requestId) => logServerError(log, error, { requestId }),
  };
}
