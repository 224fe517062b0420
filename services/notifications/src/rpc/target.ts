import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Target } from "@uag/proto/notifications/v1/notifications.ts";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import { addressIn, isMail, type Mailer } from "../mail/mail.ts";

/** What decides whether a target may be used. */
export interface TargetRules {
  readonly guarded: Pick<GuardedClient, "parse">;
  /** Undefined where no mail server is configured. */
  readonly mailer: Mailer | undefined;
}

/** @throws {GatewayError} `invalid_request` for a URL that may not be called */
export function checkTarget({ url, param }: Target, { guarded, mailer }: TargetRules): void {
  const refuse = (text: string, cause?: unknown): never => {
    throw new GatewayError("invalid_request", `${param}: ${text}`, { param, cause });
  };
  if (isMail(url)) {
    if (mailer === undefined) refuse("e-mail is not available: no mail server is configured.");
    if (addressIn(url) === undefined) refuse("must be an e-mail address.");
    return;
  }
  try {
    guarded.parse(url);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    refuse(error.message, error);
  }
}
