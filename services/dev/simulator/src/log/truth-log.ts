import type { Begun, Ended, LogEntry } from "./entry.ts";
import type { LogFile, LogLine } from "./file.ts";

export interface LogQuery {
  /** Entries after this seq. */
  readonly since: number;
  readonly limit: number;
  /** Only entries with this caller's request id. */
  readonly requestId?: string | undefined;
}
export interface LogPage {
  readonly entries: LogEntry[];
  /** The value of `since` for the next page. */
  readonly next_since: number;
  readonly has_more: boolean;
  /** Entries dropped from memory because of the limit. */
  readonly dropped: number;
}

export interface TruthLogOptions {
  readonly memoryLimit: number;
  readonly file?: LogFile;
  readonly lines?: LogLine[];
}

const nothingDelivered = { chunks: 0, content_tokens: 0, bytes: 0 };
const lost: Ended = {
  duration_ms: 0,
  answer_id: null,
  status: 0,
  stream: false,
  delivered: nothingDelivered,
  blocked_ms: 0,
  usage: null,
  true_usage: null,
  units: null,
  charged: { rule: "nothing" },
  task: null,
  outcome: "lost",
};

/**
 * What the simulator served, in the order in which attempts ended. Append-only until it is cleared.
 */
export class TruthLog {
  readonly #memoryLimit: number;
  readonly #file: LogFile | undefined;
  #entries: LogEntry[] = [];
  #dropped = 0;
  #lastSeq = 0;
  #lastAttempt = 0;

  constructor(options: TruthLogOptions) {
    this.#memoryLimit = options.memoryLimit;
    this.#file = options.file;
    this.#restore(options.lines ?? []);
  }

  begin(begun: Omit<Begun, "attempt">): Begun {
    const started = { attempt: ++this.#lastAttempt, ...begun };
    this.#file?.append({ begun: started });
    return started;
  }

  end(begun: Begun, ended: Ended): LogEntry {
    const entry = { seq: ++this.#lastSeq, ...begun, ...ended };
    this.#file?.append({ entry });
    this.#remember(entry);
    return entry;
  }

  page(query: LogQuery): LogPage {
    const entries: LogEntry[] = [];
    let nextSince = query.since;
    let hasMore = false;
    for (let at = this.#indexAfter(query.since); at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry === undefined || (query.requestId !== undefined && entry.request_id !== query.requestId)) continue;
      if (entries.length === query.limit) {
        hasMore = true;
        break;
      }
      entries.push(entry);
      nextSince = entry.seq;
    }
    return { entries, next_since: nextSince, has_more: hasMore, dropped: this.#dropped };
  }

  /** All entries in memory, oldest first. */
  entries(): readonly LogEntry[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
    this.#dropped = 0;
    this.#file?.clear();
  }

  close(): void {
    this.#file?.close();
  }

  #indexAfter(seq: number): number {
    const first = this.#entries[0]?.seq ?? 1;
    return Math.max(0, seq + 1 - first);
  }

  #remember(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#memoryLimit === 0 || this.#entries.length <= this.#memoryLimit) return;
    // Drops a tenth at once, which makes dropping cheap per entry.
    const surplus = Math.ceil(this.#memoryLimit / 10);
    this.#entries.splice(0, surplus);
    this.#dropped += surplus;
  }

  #restore(lines: readonly LogLine[]): void {
    const open = new Map<number, Begun>();
    for (const line of lines) {
      if ("begun" in line) {
        open.set(line.begun.attempt, line.begun);
        this.#lastAttempt = Math.max(this.#lastAttempt, line.begun.attempt);
      } else {
        open.delete(line.entry.attempt);
        this.#lastSeq = Math.max(this.#lastSeq, line.entry.seq);
        this.#remember(line.entry);
      }
    }
    for (const begun of open.values()) this.end(begun, lost);
  }
}
