import type { Units, Usage } from "../usage.ts";
import type { Charge } from "./charge.ts";
import type { Outcome } from "./outcome.ts";

/** One served attempt, as in `GET /sim/log`. */
export interface LogEntry {
  /** Position in the log, from 1, in the order in which attempts ended. */
  readonly seq: number;
  readonly attempt: number;
  /** ISO time at which the request had arrived. */
  readonly at: string;
  readonly duration_ms: number;
  readonly provider: string;
  readonly operation: string;
  readonly path: string;
  readonly model: string | null;
  readonly requested_model: string | null;
  /** Hash over provider, model and canonical body, independent of streaming. */
  readonly request_hash: string;
  /** The caller's own id, from x-request-id or x-client-request-id. */
  readonly request_id: string | null;
  /** The simulator's id of the exchange. */
  readonly upstream_request_id: string;
  readonly answer_id: string | null;
  readonly authorization: boolean;
  readonly key_hash: string | null;
  readonly faults: { readonly [name: string]: unknown };
  /** Requests in flight when it began, including itself: in total, of its model, of its key. */
  readonly concurrency: { readonly total: number; readonly model: number; readonly key: number };
  /** HTTP status; 0 when no head was sent. */
  readonly status: number;
  readonly stream: boolean;
  /**
   * Data written to the socket: complete events, their content tokens, and bytes of the body.
   */
  readonly delivered: { readonly chunks: number; readonly content_tokens: number; readonly bytes: number };
  /** Time spent waiting for the client to take bytes. */
  readonly blocked_ms: number;
  /** Usage as reported to the client; null if none was. */
  readonly usage: Usage | null;
  /** The usage an honest provider reports for the whole response. */
  readonly true_usage: Usage | null;
  /**
   * The units a provider bills for the whole response; null for tasks, whose bill is in
   * `GET /sim/tasks`.
   */
  readonly units: Units | null;
  /** What the provider charges for the attempt, given how it ended; null for tasks. */
  readonly charged: Charge | null;
  /** The task it created or reports, and how often it was polled, including this time. */
  readonly task: { readonly id: string; readonly polls: number } | null;
  readonly outcome: Outcome;
}

export type Begun = Pick<
  LogEntry,
  | "attempt"
  | "at"
  | "provider"
  | "operation"
  | "path"
  | "model"
  | "requested_model"
  | "request_hash"
  | "request_id"
  | "upstream_request_id"
  | "authorization"
  | "key_hash"
  | "faults"
  | "concurrency"
>;
export type Ended = Omit<LogEntry, keyof Begun | "seq">;
