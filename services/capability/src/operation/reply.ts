import type { Upstream } from "@uag/catalog/types.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { UsageCharge } from "../bill.ts";
import type { ClientError } from "../client-error.ts";

interface ReplyBase {
  /** The upstream that the ledger names. */
  readonly upstream: Upstream | undefined;
  /** Calls to upstreams that the answer took so far. */
  readonly attempts: number;
  /** More headers, name and value by turns; `content-type` among them. */
  readonly headers: readonly string[];
  /** The upstream's headers about limits, for a key that has none of its own. */
  upstreamLimits?(): readonly string[];
}

/** An answer in one piece. It leaves after its bill is on disk. */
export interface WholeReply extends ReplyBase {
  readonly kind: "whole";
  readonly charge: UsageCharge;
  /** In pieces where joining them would copy much. */
  readonly body: Buffer | readonly Buffer[];
}

/** An answer that is sent as it comes. Its last bytes leave after its bill is on disk. */
export interface StreamReply extends ReplyBase {
  readonly kind: "stream";
  /**
   * Carries everything but the last bytes to the client, at the client's pace; resolves when the
   * upstream's side is over, finished or broken, or the client has left.
   */
  relay(exchange: LinkExchange): Promise<StreamEnd>;
  /** An error as the last event of the stream; default: the stream is cut without one. */
  errorEvent?(error: ClientError): Buffer;
}

/** How a stream came to its end. */
export interface StreamEnd {
  /** What was delivered; undefined: nothing that is owed for. */
  readonly charge: UsageCharge | undefined;
  /** The client's last bytes, kept back until now. */
  readonly closing?: Buffer;
  /** Why it broke; undefined: it did not. */
  readonly failure?: { readonly thrown: unknown } | undefined;
  /** All calls to upstreams, where there were more after the reply began. */
  readonly attempts?: number;
}

/** What an operation answers with: one piece, or a stream. */
export type Reply = WholeReply | StreamReply;
