import type { Peer } from "./network.ts";

/** The stage of a request or task when its process dies. */
export const stages = [
  "asked",
  "admitted",
  "begun",
  "checkpointed",
  "disconnected",
  "settling",
  "billed",
  "task asked",
  "task settling",
] as const;
export type Stage = (typeof stages)[number];

/** A source of funds, which may be exhausted; a request may have several. */
export const sources = ["plenty", "budget", "capped", "envelope", "free", "unpriced", "account-end", "owing"] as const;
export type Source = (typeof sources)[number];

/**
 * The sources of a stage: the process that requests a task does not know its hold and price.
 */
export const sourcesAt = (stage: Stage): readonly Source[] =>
  stage.startsWith("task") ? sources.filter((one) => one !== "free" && one !== "unpriced") : sources;

/** How often a process died with a request in this stage that was paid from this source. */
export type CrashCounts = ReadonlyMap<`${Stage} ${Source}`, number>;

/** A request in flight in a process. */
export interface Underway {
  stage: Stage;
  readonly replica: Peer;
  readonly sources: readonly Source[];
  /** It has ended, whatever its stage. */
  readonly over?: () => boolean;
}

/** Adds the counts of a world to those of others. */
export function addCounts(to: Map<`${Stage} ${Source}`, number>, counts: CrashCounts): void {
  for (const [cell, count] of counts) to.set(cell, (to.get(cell) ?? 0) + count);
}

/** Counts, for each death of a process, the requests in flight. */
export class Deaths {
  readonly counts = new Map<`${Stage} ${Source}`, number>();
  readonly #accountSources: () => readonly Source[];
  #underway: Underway[] = [];

  /** @param accountSources how much money the account has at the moment */
  constructor(accountSources: () => readonly Source[]) {
    this.#accountSources = accountSources;
  }

  begin(underway: Underway): Underway {
    this.#underway.push(underway);
    return underway;
  }

  end(underway: Underway): void {
    this.#underway = this.#underway.filter((one) => one !== underway);
  }

  /** A process dies. */
  of(replica: Peer): void {
    const shared = this.#accountSources();
    for (const { stage, sources: own, over } of this.#underway.filter((one) => one.replica === replica)) {
      if (over?.() === true) continue;
      for (const source of [...own, ...shared]) addCounts(this.counts, new Map([[`${stage} ${source}` as const, 1]]));
    }
    this.#underway = this.#underway.filter((one) => one.replica !== replica);
  }
}
