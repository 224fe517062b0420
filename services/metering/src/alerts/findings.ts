import { type AlertDocument, type Figures, isLow, type Month, type Notice, reached } from "./alert.ts";
import type { Tidings } from "./messages.ts";

/** What is to be told, and what is noted then. */
export interface Findings {
  readonly tidings: Tidings;
  readonly notices: readonly Notice[];
}

/** What an alert's figures give reason to tell; undefined for nothing new. */
export function findingsOf(alert: AlertDocument, month: Month, figures: Figures): Findings | undefined {
  const at = new Date();
  const of = { month: month.name, figures, at };
  const { spentNanoUsd, fullNanoUsd, balance } = figures;
  if (balance !== undefined) {
    if (!isLow(alert, balance)) return undefined;
    const below = alert.belowNanoUsd ?? 0n;
    // It follows from the top-ups: until another there is one message, in whatever month.
    const occasion = `balance ${balance.toppedUpNanoUsd} ${below}`;
    const notice = { month: month.name, threshold: 0, monthlyNanoUsd: below, spentNanoUsd, balance, at };
    return { tidings: { ...of, type: "balance.low", threshold: 0, occasion }, notices: [notice] };
  }
  const thresholds = reached(alert, month, figures);
  const highest = thresholds.at(-1);
  if (highest === undefined) return undefined;
  const occasion = `${month.name} ${highest} ${fullNanoUsd}`;
  // What a jump has passed over is noted as well: of several at once the highest says it all.
  const notices = thresholds.map((threshold) => {
    return { month: month.name, threshold, monthlyNanoUsd: fullNanoUsd, spentNanoUsd, at };
  });
  return { tidings: { ...of, type: "spend.threshold_reached", threshold: highest, occasion }, notices };
}
