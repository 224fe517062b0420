/**
 * Unix milliseconds at which every world begins: a month ends soon after, by the database's clock.
 */
export const epochMs = Date.UTC(2027, 0, 31, 23, 58);

/** Long enough after any world's end for the month to be closed, milliseconds. */
export const untilClosedMs = 3 * 3_600_000;
