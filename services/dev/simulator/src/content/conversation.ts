/** One message of a conversation, as needed to count turns. */
export interface Turn {
  readonly byModel: boolean;
  readonly callsTools: boolean;
}

/**
 * How many of the model's last messages in a row call tools, ignoring others' messages in between.
 */
export function toolTurnsOf(turns: readonly Turn[]): number {
  let count = 0;
  for (const turn of turns.toReversed()) {
    if (!turn.byModel) continue;
    if (!turn.callsTools) break;
    count++;
  }
  return count;
}

const reminder = { open: "<system-reminder>", close: "</system-reminder>" } as const;

/** A user message without what coding agents add to the user's own words. */
export function withoutReminders(text: string): string {
  const kept: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf(reminder.open, at);
    const close = open < 0 ? -1 : text.indexOf(reminder.close, open);
    kept.push(text.slice(at, close < 0 ? text.length : open));
    if (close < 0) break;
    at = close + reminder.close.length;
  }
  return kept.join("");
}
