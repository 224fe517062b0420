import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Logger } from "@uag/runtime/log";
import { parseCatalog } from "./parse.ts";
import { keepPriceVersions } from "./price-versions.ts";
import type { Catalog, PriceVersionRow } from "./types.ts";

/** Holds the current catalogue and follows its file; an invalid version is logged and ignored. */
export interface CatalogStore extends Disposable {
  /**
   * The current catalogue. Read it once per request: it is replaced as a whole when the file
   * changes.
   */
  readonly current: Catalog;
}

/** A store that follows its file. */
export interface FollowedCatalog extends CatalogStore {
  /**
   * Puts prices into force that were accepted outside the file, in place of those given before. A
   * list that makes the catalogue invalid is logged and ignored.
   */
  accept(prices: readonly PriceVersionRow[]): Promise<void>;
}

/** The catalogue's file, and the environment that resolves its references. */
export interface CatalogStoreOptions {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /**
   * How often to poll the file, milliseconds; default 1,000. Polling works on every volume,
   * symbolic links included.
   */
  readonly intervalMs?: number;
}

/**
 * Reads the catalogue and follows its file. An invalid change is logged and the previous catalogue
 * stays in effect.
 * @throws {CatalogError} or the file system's error, when the first read fails.
 */
export async function openCatalog(options: CatalogStoreOptions): Promise<FollowedCatalog> {
  const { file, env, log } = options;
  let accepted: readonly PriceVersionRow[] = [];
  let current = parseCatalog(await readFile(file, "utf8"), env);
  let timer: NodeJS.Timeout | undefined;
  announce(current, log);
  const reload = async (given?: readonly PriceVersionRow[]): Promise<void> => {
    const prices = given ?? accepted;
    try {
      const next = parseCatalog(await readFile(file, "utf8"), env, { accepted: prices });
      accepted = prices;
      if (next.version === current.version) return;
      keepPriceVersions(current, next, Date.now());
      current = next;
      announce(next, log);
    } catch (error) {
      log.error({ err: error, file, kept: current.version }, "catalogue change rejected");
    }
  };
  let last = Promise.resolve();
  // One after the other, so that none reverts what a later one has read.
  const reloadInTurn = (prices?: readonly PriceVersionRow[]): Promise<void> => {
    last = last.then(() => reload(prices)).then(awaitPrice);
    return last;
  };
  const onChange = (): void => void reloadInTurn();
  let closed = false;
  const awaitPrice = (): void => {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(onChange, priceDueMs(current, Date.now())).unref();
  };
  awaitPrice();
  watchFile(file, { persistent: false, interval: options.intervalMs ?? 1_000 }, onChange);
  return {
    get current() {
      return current;
    },
    accept: reloadInTurn,
    [Symbol.dispose]: () => {
      closed = true;
      unwatchFile(file, onChange);
      clearTimeout(timer);
    },
  };
}

const maxWaitMs = 60_000;

/** How long until an accepted price comes into force; a minute at most, for a clock may be set. */
function priceDueMs({ priceVersions }: Catalog, nowMs: number): number {
  const due = priceVersions.map(({ effective_from: from }) => Date.parse(from) - nowMs).filter((ms) => ms > 0);
  return Math.min(maxWaitMs, ...due);
}

function announce(catalog: Catalog, log: Logger): void {
  log.info({ version: catalog.version, models: catalog.models.size, unserved: catalog.unserved }, "catalogue loaded");
}
