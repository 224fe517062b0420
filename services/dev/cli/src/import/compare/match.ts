import { type Entry, inputOf } from "./entry.ts";

/** A request that both gateways have. */
export interface Pair {
  readonly ours: Entry;
  readonly theirs: Entry;
}

/** The requests of two gateways. */
export interface Matches {
  readonly pairs: Pair[];
  readonly oursOnly: Entry[];
  readonly theirsOnly: Entry[];
}

const sameTokens = (a: Entry, b: Entry): boolean =>
  inputOf(a) === inputOf(b) && a.tokens.output_tokens === b.tokens.output_tokens;

/** Whether two entries may be the same request, by everything but their ids. */
const alike = (a: Entry, b: Entry, withinMs: number): boolean =>
  a.keyId !== undefined &&
  a.keyId === b.keyId &&
  a.model === b.model &&
  Math.abs(a.startedMs - b.startedMs) <= withinMs;

/** Pairs entries that share an id. */
function matchById(ours: readonly Entry[], theirs: readonly Entry[]): Matches {
  const known = new Map(ours.flatMap((entry) => entry.ids.map((id): [string, Entry] => [id, entry])));
  const taken = new Set<Entry>();
  const pairs: Pair[] = [];
  const theirsOnly = theirs.filter((entry) => {
    const found = entry.ids.map((id) => known.get(id)).find((each) => each !== undefined && !taken.has(each));
    if (found === undefined) return true;
    taken.add(found);
    pairs.push({ ours: found, theirs: entry });
    return false;
  });
  return { pairs, theirsOnly, oursOnly: ours.filter((entry) => !taken.has(entry)) };
}

const sameCache = (a: Entry, b: Entry): boolean =>
  sameTokens(a, b) && a.tokens.cached_input_tokens === b.tokens.cached_input_tokens;

/**
 * Of those that may be the same request the one with the same tokens, then the one with as many of
 * them cached, then the nearest in time.
 */
function nearest(entry: Entry, candidates: Iterable<Entry>, withinMs: number): Entry | undefined {
  const distance = (each: Entry): number =>
    Math.abs(each.startedMs - entry.startedMs) +
    (sameTokens(each, entry) ? 0 : withinMs + 1) +
    (sameCache(each, entry) ? 0 : withinMs + 1);
  return [...candidates]
    .filter((each) => alike(each, entry, withinMs))
    .reduce<Entry | undefined>(
      (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
      undefined,
    );
}

/**
 * Pairs the requests of two gateways, each with at most one: by an id that they share, else by key,
 * model, time and tokens.
 * @param withinMs maximum difference between their starts, without a common id
 */
export function match(ours: readonly Entry[], theirs: readonly Entry[], withinMs: number): Matches {
  const { pairs, oursOnly, theirsOnly } = matchById(ours, theirs);
  const left = Map.groupBy(oursOnly, ({ keyId, model }) => `${keyId}\n${model}`);
  const missing = [...theirsOnly]
    .sort((a, b) => a.startedMs - b.startedMs)
    .filter((entry) => {
      const group = left.get(`${entry.keyId}\n${entry.model}`) ?? [];
      const found = nearest(entry, group, withinMs);
      if (found === undefined) return true;
      group.splice(group.indexOf(found), 1);
      pairs.push({ ours: found, theirs: entry });
      return false;
    });
  return { pairs, theirsOnly: missing, oursOnly: [...left.values()].flat() };
}

/** Whether an entry without a partner repeats one that has one. */
export const isDoubled = (entry: Entry, matched: readonly Entry[], withinMs: number): boolean =>
  matched.some(
    (each) =>
      (alike(each, entry, withinMs) && sameTokens(each, entry)) || each.ids.some((id) => entry.ids.includes(id)),
  );
