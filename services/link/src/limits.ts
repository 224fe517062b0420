/** Most body bytes in one frame; longer bodies are cut so that exchanges take turns. */
export const MAX_FRAME_BYTES = 64 * 1024;

/**
 * Body bytes one end may send on one direction of an exchange before it is granted more. Part of
 * the protocol.
 */
export const WINDOW_BYTES = 256 * 1024;

/**
 * Unsent bytes of one exchange above which a writer is asked to wait, and below which it may go on.
 */
export const HIGH_WATER_BYTES = 128 * 1024;
export const LOW_WATER_BYTES = 64 * 1024;

/**
 * A batch is closed once it is this long; the frame that crosses the line is at most MAX_HEAD_BYTES
 * longer.
 */
export const MAX_BATCH_BYTES = 512 * 1024;

/** Longest open or head frame (operation, target, headers, context). */
export const MAX_HEAD_BYTES = 512 * 1024;

/**
 * What a gRPC message may measure at the receiving end: a full batch, its last frame and room to
 * spare.
 */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** Bytes handed to the transport and not yet taken by it above which no further batch is made. */
export const MAX_IN_FLIGHT_BYTES = 1024 * 1024;

/** Ids are never reused on a link: a link that has used this many is drained and replaced. */
export const MAX_EXCHANGES_PER_LINK = 2 ** 31;

/**
 * Refusals and cancellations waiting to be sent to a peer that does not read; beyond it the link is
 * given up.
 */
export const MAX_PENDING_CANCELS = 100_000;
