import { createHash } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Logger } from "@uag/runtime/log";
import { LastValid } from "./last-valid.ts";
import { allEnabled, noOverlay } from "./overlay.ts";
import { type CatalogChanges, parseCatalog } from "./parse.ts";
import { keepPriceVersions } from "./price-versions.ts";
import type { Catalog } from "./types.ts";

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
  /** The file, or the changes on top of it, are invalid: what was valid last is in force. */
  readonly rejected: boolean;
  /** The first 48 bits of the SHA-256 of the file's content in force. */
  readonly fileHash: number;
  /**
   * Puts changes on top of the file into force, in place of those given before. Changes that make
   * the catalogue invalid are logged and ignored.
   */
  apply(changes: CatalogChanges): Promise<void>;
  /**
   * The current catalogue with what operators disabled, so that it can be tested.
   * @throws {CatalogError} while its changes are not valid
   */
  readWithDisabled(): Catalog;
}

/** The catalogue's file, and the environment that resolves its references. */
export interface CatalogStoreOptions {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Where the file's last valid content is stored; a start with an invalid file uses it. Default: nowhere. */
  readonly lastValidFile?: string;
  /**
   * How often to poll the file, milliseconds; default 1,000. Polling works on every volume,
   * symbolic links included.
   */
  readonly intervalMs?: number;
}

/**
 * Reads the catalogue and follows its file. An invalid change is logged and the previous content
 * stays in effect, over a restart too if `lastValidFile` is given.
 * @throws {CatalogError} or the file system's error, when the first read fails and no valid content
 * is stored.
 */
export async function openCatalog(options: CatalogStoreOptions): Promise<FollowedCatalog> {
  const { file, env, log, lastValidFile } = options;
  const lastValid = lastValidFile === undefined ? undefined : new LastValid(lastValidFile, log);
  let changes: CatalogChanges = {};
  let { yaml: inForce, rejected } = await firstContent(options, lastValid);
  let current = parseCatalog(inForce, env);
  let timer: NodeJS.Timeout | undefined;
  announce(current, log);
  /** @throws {CatalogError} */
  const put = (yaml: string): void => {
    const next = parseCatalog(yaml, env, changes);
    if (next.version !== current.version) {
      keepPriceVersions(current, next, Date.now());
      current = next;
      announce(next, log);
    }
    inForce = yaml;
  };
  const reload = async (given: CatalogChanges = changes): Promise<void> => {
    // Kept even if they are invalid now: the file may change to suit them.
    changes = given;
    try {
      put(await readFile(file, "utf8"));
      rejected = false;
      await lastValid?.keep(inForce);
    } catch (error) {
      rejected = true;
      log.error({ err: error, file, kept: current.version }, "catalogue change rejected");
      putChanges();
    }
  };
  /** An invalid file must not hold up what operators change in the running gateway. */
  const putChanges = (): void => {
    try {
      put(inForce);
    } catch (error) {
      log.error({ err: error, kept: current.version }, "changes do not fit the last valid catalogue either");
    }
  };
  let last = Promise.resolve();
  // One after the other, so that none reverts what a later one has read.
  const reloadInTurn = (given?: CatalogChanges): Promise<void> => {
    last = last.then(() => reload(given)).then(awaitPrice);
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
    get rejected() {
      return rejected;
    },
    get fileHash() {
      return hashOf(inForce);
    },
    apply: reloadInTurn,
    readWithDisabled() {
      const { overlay = noOverlay } = changes;
      return parseCatalog(inForce, env, { ...changes, overlay: allEnabled(overlay) });
    },
    [Symbol.dispose]: () => {
      closed = true;
      unwatchFile(file, onChange);
      clearTimeout(timer);
    },
  };
}

/** The file's content, or that stored last if the file is invalid. @throws the file's error without one */
async function firstContent(
  { file, env, log }: CatalogStoreOptions,
  lastValid: LastValid | undefined,
): Promise<{ yaml: string; rejected: boolean }> {
  try {
    const yaml = await readFile(file, "utf8");
    parseCatalog(yaml, env);
    return { yaml, rejected: false };
  } catch (error) {
    const yaml = await lastValid?.read();
    if (yaml === undefined) throw error;
    log.error({ err: error, file }, "the catalogue's file is invalid; starting with the last valid one");
    return { yaml, rejected: true };
  }
}

const hashBytes = 6;

function hashOf(yaml: string): number {
  return createHash("sha256").update(yaml).digest().readUIntBE(0, hashBytes);
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
