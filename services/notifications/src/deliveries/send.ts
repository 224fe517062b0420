import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { UrlError } from "@uag/untrusted/http/url-error";
import type { Confirmations } from "../mail/confirmations.ts";
import { addressIn, isMail, type Mailer } from "../mail/mail.ts";
import { webhookHeaders } from "../secrets/signature.ts";
import type { Attempted, DeliveryDocument } from "./deliveries.ts";
import { nextTryMs } from "./schedule.ts";

/** No more of a receiver's response is read; beyond the status its content does not matter. */
const maxResponseBytes = 16 * 1024;

export interface SendOptions {
  readonly guarded: Pick<GuardedClient, "fetch">;
  readonly mailer: Mailer | undefined;
  readonly confirmations: Pick<Confirmations, "textOf">;
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  /** Factor on the retry schedule. */
  readonly scale: number;
}

interface Outcome {
  readonly status: number;
  readonly error: string;
  /** A retry cannot succeed. */
  readonly isFinal?: boolean;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Sends a webhook or a mail once and decides what follows. A redirect counts as a failure and is
 * not followed; 410 ends the attempts.
 */
export async function send(delivery: DeliveryDocument, options: SendOptions): Promise<Attempted> {
  const at = new Date();
  const began = performance.now();
  const outcome = isMail(delivery.url) ? await sendMail(delivery, options) : await post(delivery, at, options);
  const durationMs = Math.round(performance.now() - began);
  const attempt = { at, durationMs, status: outcome.status, error: outcome.error };
  if (outcome.error === "") return { attempt, state: "delivered" };
  if (outcome.status === 410) return { attempt, state: "stopped" };
  if (outcome.isFinal === true) return { attempt, state: "failed" };
  const tries = delivery.tries + 1;
  const pauseMs = nextTryMs({ tries, retryAfterMs: outcome.retryAfterMs, scale: options.scale });
  if (pauseMs === undefined) return { attempt, state: "failed" };
  return { attempt, state: "pending", dueAt: new Date(Date.now() + pauseMs) };
}

async function sendMail(
  delivery: DeliveryDocument,
  { mailer, confirmations }: Pick<SendOptions, "mailer" | "confirmations">,
): Promise<Outcome> {
  const to = addressIn(delivery.url);
  if (mailer === undefined || to === undefined) return { status: 0, error: "mail cannot be sent to this address" };
  const text = await confirmations.textOf(delivery);
  if (text === undefined) return { status: 0, error: "the address was not confirmed", isFinal: true };
  const { _id: id, subject = "" } = delivery;
  return await mailer.send({ id, to, subject, text });
}

async function post(delivery: DeliveryDocument, at: Date, options: SendOptions): Promise<Outcome> {
  const { guarded, secrets, timeoutMs } = options;
  const { _id: id, body, url, accountId: owner } = delivery;
  const headers = webhookHeaders({ id, timestamp: Math.floor(at.getTime() / 1_000), body }, secrets);
  try {
    const call = {
      method: "POST",
      headers,
      body,
      timeoutMs,
      maxBytes: maxResponseBytes,
      headOnly: true,
      owner,
    } as const;
    const response = await guarded.fetch(url, call);
    const { status } = response;
    if (status >= 200 && status < 300) return { status, error: "" };
    const header = (name: string): string | undefined => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { status, error: `responded with status ${status}`, retryAfterMs: retryAfterMs(header, Date.now()) };
  } catch (error) {
    if (error instanceof UrlError) return { status: 0, error: error.message };
    throw error;
  }
}
