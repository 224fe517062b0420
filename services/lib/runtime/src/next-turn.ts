/** Time of one turn for all work that waits together, milliseconds. */
const turnMs = 8;
let startedAt: number | undefined;
/** Each has one callback of {@link proceed} scheduled. */
const waiting: (() => void)[] = [];

/**
 * Resolves after everything else that waits has run. Work that is split into turns calls it in
 * between. Of concurrent pieces of such work only as many continue in one turn of the event loop as
 * take about 8 ms together; the others continue in the next, in arrival order.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(proceed);
  });
}

function proceed(): void {
  if (startedAt === undefined) {
    startedAt = performance.now();
    // The first callback of the next turn.
    setImmediate(() => {
      startedAt = undefined;
    });
  }
  if (performance.now() - startedAt < turnMs) waiting.shift()?.();
  else setImmediate(proceed);
}
