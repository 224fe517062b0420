/**
 * How long the processes that a process calls may take to start, milliseconds. Processes start in
 * any order, so until then one that was never reached is no fault, and is not logged as one.
 */
export const startGraceMs = 60_000;
