import { type AlertDocument, type Figures, isLow, type Month, type Notice, reached } from "./alert.ts";
import type { Notification } from "./messages.ts";

/** The message to send, and what is recorded after that. */
export interface Evaluation {
  readonly notification: Notification;
  readonly notices: readonly Notice[];
}

/**
 * What an alert has to report, by its figures; undefined for nothing new.
 * @param at the database's time, which the message and the notice name
 */
export function evaluate(
  alert: AlertDocument,
  month: Pick<Month, "name">,
  { figures, at }: { readonly figures: Figures; readonly at: Date },
): Evaluation | undefined {
  const of = { month: month.name, figures, at };
  const { spentNanoUsd, fullNanoUsd, balance } = figures;
  if (balance !== undefined) {
    if (!isLow(alert, balance)) return undefined;
    const below = alert.belowNanoUsd ?? 0n;
    // Contains the total of top-ups: until another there is one message, in whatever month.
    const dedupeKey = `balance ${balance.toppedUpNanoUsd} ${below}`;
    const notice = { month: month.name, threshold: 0, monthlyNanoUsd: below, spentNanoUsd, balance, at };
    return { notification: { ...of, type: "balance.low", threshold: 0, dedupeKey }, notices: [notice] };
  }
  const thresholds = reached(alert, month, figures);
  const highest = thresholds.at(-1);
  if (highest === undefined) return undefined;
  const dedupeKey = `${month.name} ${highest} ${fullNanoUsd}`;
  // Of several thresholds reached at once, the highest is sent and all are recorded.
  const notices = thresholds.map((threshold) => {
    return { month: month.name, threshold, monthlyNanoUsd: fullNanoUsd, spentNanoUsd, at };
  });
  return { notification: { ...of, type: "spend.threshold_reached", threshold: highest, dedupeKey }, notices };
}
