import type { Upstream } from "@uag/catalog/types";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { Progress } from "@uag/usage/types";
import type { UsageCharge } from "../bill.ts";
import type { ClientError } from "../client-error.ts";
import type { Checkpoints } from "./checkpoints.ts";

interface ReplyBase {
  /** The upstream recorded in the ledger. */
  readonly upstream: Upstream | undefined;
  /** Upstream calls made for the response so far. */
  readonly attempts: number;
  /** Additional headers, alternating name and value, including `content-type`. */
  readonly headers: readonly string[];
  /** The upstream's rate limit headers, for a key without limits of its own. */
  upstreamLimits?(): readonly string[];
  /** The upstream's id of the call that succeeded, where it reports one. */
  readonly upstreamRequestId?: string | undefined;
}

/** A non-streamed response. It is sent after its bill is on disk. */
export interface UnaryReply extends ReplyBase {
  readonly kind: "unary";
  readonly charge: UsageCharge;
  /**
   * In pieces where concatenating would copy much; as an iterable, whose length is not known, where
   * making them all at once would take too much time and memory. It is iterated once, and must not
   * throw.
   */
  readonly body: Buffer | readonly Buffer[] | Iterable<Buffer>;
  /** Called once the bill is on disk: resolves with what is sent in place of `body`. Never rejects. */
  closing?(): Promise<Buffer>;
}

/** A streamed response. Its last bytes are sent after its bill is on disk. */
export interface StreamReply extends ReplyBase {
  readonly kind: "stream";
  /**
   * What is billed if this process dies now: at least the input, which the upstream has accepted,
   * and what was received; at most the hold. Cheap, and called first before anything is relayed.
   */
  progress(): Progress;
  /**
   * Relays everything but the last bytes to the client, with backpressure; writes a checkpoint
   * whenever the cost has risen. Resolves when the upstream's side is over, finished or broken, or
   * the client has disconnected.
   */
  relay(exchange: LinkExchange, checkpoints: Checkpoints): Promise<StreamEnd>;
  /** An error as the stream's last event; default: the stream is cut without one. */
  errorEvent?(error: ClientError): Buffer;
}

/** How a stream ended. */
export interface StreamEnd {
  /** What was delivered; undefined: nothing is owed. */
  readonly charge: UsageCharge | undefined;
  /** The client's last bytes, held back until the bill is on disk. @param costNanoUsd what was charged */
  closing?(costNanoUsd: bigint): Buffer | Promise<Buffer>;
  /** Why it broke; undefined when it did not. */
  readonly failure?: { readonly thrown: unknown } | undefined;
  /** All upstream calls, if there were more after the reply began. */
  readonly attempts?: number;
}

/** What an operation responds with: a whole body, or a stream. */
export type Reply = UnaryReply | StreamReply;
