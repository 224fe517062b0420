/** Maximum body bytes per frame; longer bodies are split so that exchanges take turns. */
export const maxFrameBytes = 64 * 1024;

/**
 * Body bytes one end may send on one direction of an exchange before it is granted more. Part of
 * the protocol.
 */
export const windowBytes = 256 * 1024;

/** A writer is asked to wait above this many unsent bytes of one exchange. */
export const highWaterBytes = 128 * 1024;
/** A writer that had to wait continues below this. */
export const lowWaterBytes = 64 * 1024;

/**
 * A batch is closed at this size; the frame that crosses it may exceed it by at most
 * `maxHeadBytes`.
 */
export const maxBatchBytes = 512 * 1024;

/** Maximum size of an open or head frame (operation, target, headers, context). */
export const maxHeadBytes = 512 * 1024;

/** Maximum size of a received gRPC message: a full batch, its last frame and some headroom. */
export const maxMessageBytes = 2 * 1024 * 1024;

/** No further batch is made while this many bytes wait in the transport. */
export const maxInFlightBytes = 1024 * 1024;

/** Ids are never reused on a link: after this many the link is drained and replaced. */
export const maxExchangesPerLink = 2 ** 31;

/**
 * Refusals and cancellations queued for a peer that does not read; beyond this the link is dropped.
 */
export const maxPendingCancels = 100_000;
