/** Events of one gathering that make it worth waiting longer, for each base period in it. */
const busyEvents = 128;
/** A message with fewer events costs more than they do. */
const enoughEvents = 64;
const plentyEvents = 256;
const maxPeriods = 8;

/** What was cut from the journal after one gathering. */
export interface Gathered {
  readonly events: number;
  readonly batches: number;
}

/**
 * How long the next gathering lasts, milliseconds, after one of `lastMs`. A message has the events
 * of one partition, and a transaction changes a grant once for all its events: while many accounts
 * are busy, waiting longer makes both cheaper for each event. With little to do, usage should be
 * visible at once.
 */
export function nextGathering(baseMs: number, lastMs: number, { events, batches }: Gathered): number {
  if (events < (busyEvents * lastMs) / baseMs) return baseMs;
  const mean = events / batches;
  if (mean < enoughEvents) return Math.min(lastMs * 2, baseMs * maxPeriods);
  return mean < plentyEvents ? lastMs : Math.max(lastMs / 2, baseMs);
}
