/** Most body bytes in one frame; longer bodies are cut so that exchanges take turns. */
export const maxFrameBytes = 64 * 1024;

/**
 * Body bytes one end may send on one direction of an exchange before it is granted more. Part of
 * the protocol.
 */
export const windowBytes = 256 * 1024;

/**
 * Unsent bytes of one exchange above which a writer is asked to wait, and below which it may go on.
 */
export const highWaterBytes = 128 * 1024;
/** Below this a writer that had to wait goes on. */
export const lowWaterBytes = 64 * 1024;

/**
 * A batch is closed once it is this long; the frame that crosses the line is at most `maxHeadBytes`
 * longer.
 */
export const maxBatchBytes = 512 * 1024;

/** Longest open or head frame (operation, target, headers, context). */
export const maxHeadBytes = 512 * 1024;

/**
 * What a gRPC message may measure at the receiving end: a full batch, its last frame and room to
 * spare.
 */
export const maxMessageBytes = 2 * 1024 * 1024;

/** Bytes handed to the transport and not yet taken by it above which no further batch is made. */
export const maxInFlightBytes = 1024 * 1024;

/** Ids are never reused on a link: a link that has used this many is drained and replaced. */
export const maxExchangesPerLink = 2 ** 31;

/**
 * Refusals and cancellations waiting to be sent to a peer that does not read; beyond it the link is
 * given up.
 */
export const maxPendingCancels = 100_000;
