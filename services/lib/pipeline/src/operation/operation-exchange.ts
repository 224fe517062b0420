import type { LinkExchange } from "@uag/link/server-exchange";
import type { Settlement } from "@uag/usage/types";

/** What a request is billed, as far as it decides whether its response may be stored. */
export type ExchangeBill = Pick<Settlement, "costNanoUsd" | "pricing">;

/**
 * An operation's view of an exchange. Under an idempotency key, the exchange is also notified of
 * the request's progress.
 */
export interface OperationExchange extends LinkExchange {
  /**
   * Call it when the journal has the request's start, and before its upstream is called.
   * @param model the public model id
   * @throws {GatewayError} when the upstream must not be called
   */
  onStarted?(model: string): Promise<void>;
  /** Call it before the request's bill is written; a later call replaces an earlier one. */
  onBilled?(bill: ExchangeBill): void;
}

/** Handles the exchanges of one operation. */
export type OperationHandler = (exchange: OperationExchange) => void | Promise<void>;
