import { budgetChanged, budgetChangedSubject, keyChanged, keyChangedSubject } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";
import type { Clock } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";

const probeMs = 250;
/** A broker that was silent for longer may be withholding a change. */
const maxSilenceMs = 1_000;

export interface KeyChanges extends Disposable {
  /**
   * Since when (monotonic milliseconds) no change can have been missed; undefined while one may be.
   */
  subscribedSince(): number | undefined;
}

/**
 * Subscribes to key changes. Pings the broker continuously, because a silently cut connection looks
 * like one without traffic.
 */
export function subscribeToKeyChanges(options: {
  bus: Bus;
  clock: Clock;
  log: Logger;
  /** `digest` in hex. */
  onChange(digest: string): void;
  /** A budget changed: all keys that share it have. */
  onBudget(id: string): void;
  /** A change could not be decoded: it may concern any key. */
  onUnreadable(): void;
}): KeyChanges {
  const { bus, clock, log } = options;
  let since: number | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let waitingSince: number | undefined;

  const probe = async (): Promise<void> => {
    const now = clock.monotonic();
    const waiting = waitingSince !== undefined && now - waitingSince < maxSilenceMs;
    if (waiting || !bus.connected) return;
    waitingSince = now;
    await bus.connection.flush();
    waitingSince = undefined;
    heardAt = Math.max(heardAt, now);
    if (bus.connected) since ??= now;
  };
  const probeSafely = (): void => {
    probe().catch((error: unknown) => {
      waitingSince = undefined;
      log.debug({ err: error }, "the broker did not respond");
    });
  };

  bus.onChange((connected) => {
    since = undefined;
    if (connected) probeSafely();
  });
  bus.subscribe(keyChangedSubject, (data) => {
    const message = keyChanged.decode(data);
    if (message !== undefined) return options.onChange(message.digest);
    log.error({ bytes: data.length }, "invalid key change message");
    options.onUnreadable();
  });
  bus.subscribe(budgetChangedSubject, (data) => {
    const message = budgetChanged.decode(data);
    if (message !== undefined) return options.onBudget(message.budget_id);
    log.error({ bytes: data.length }, "invalid budget change message");
    options.onUnreadable();
  });
  const timer = setInterval(probeSafely, probeMs).unref();
  probeSafely();
  return {
    subscribedSince: () => (clock.monotonic() - heardAt <= maxSilenceMs ? since : undefined),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
