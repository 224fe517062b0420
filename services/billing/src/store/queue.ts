import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Operation } from "@uag/ledger/rules/book";
import type { KeyedMutex } from "@uag/runtime/concurrency/keyed-mutex";
import { type CommitOptions, type Committed, commitLines, type Decided } from "./commit.ts";

interface Job {
  readonly operation: Operation<unknown>;
  readonly weight: number;
  readonly done: (decided: Decided) => void;
}

/** Operations waiting for one account. */
interface Waiting {
  readonly accountId: string;
  readonly jobs: Job[];
  busy: boolean;
}

/** The jobs one transaction takes from an account. */
interface Part {
  readonly waiting: Waiting;
  readonly jobs: readonly Job[];
}

/**
 * Rows one transaction may have to read or write: keeps it short, so that others get their turn.
 */
const maxBatch = 1_024;
/** Operations that may wait for one account; beyond that, failing at once is better. */
const maxQueue = 4_096;
/** Concurrent transactions: with more, each would be smaller and all together more expensive. */
const maxConcurrent = 2;
/**
 * After losing a conflict this recently, the other process is probably still trying: give it a
 * turn.
 */
const rivalMs = 1_000;
const yieldMs = 10;

/** Changes accounts, one queue per account. */
export interface AccountQueue {
  /**
   * Resolves with the operation's result once it is committed.
   * @throws {GatewayError} the operation's own refusal, `not_found` without the account,
   * `service_unavailable`.
   */
  submit<A>(operation: Operation<A>): Promise<A>;
  /** Resolves once nothing is waiting or being committed. */
  idle(): Promise<void>;
}

export interface QueueOptions extends CommitOptions {
  /**
   * Returns, closes and settles of one grant all write its row. Within this process they run one
   * after another, because of two transactions at once one would lose and be repeated.
   */
  readonly grantLocks: KeyedMutex;
  readonly onFunds: (accountId: string) => void;
}

function grantsOf(parts: readonly Part[]): string[] {
  return parts.flatMap(({ jobs }) => jobs.flatMap(({ operation }) => operation.needs.grants ?? []));
}

function weigh(operation: Operation<unknown>): number {
  const { entries = [], grants = [], holders = [], grantRequests = [] } = operation.needs;
  return 1 + entries.length + grants.length + holders.length + grantRequests.length;
}

/**
 * Within this process operations of one account wait for each other, and all that is waiting is
 * committed together, many accounts in one transaction. This only improves speed: across processes
 * the transaction keeps the books correct.
 */
export function createAccountQueue(options: QueueOptions): AccountQueue {
  const accounts = new Map<string, Waiting>();
  /** Accounts with pending operations and no running transaction, in FIFO order. */
  const ready: Waiting[] = [];
  const untilIdle: (() => void)[] = [];
  let running = 0;
  let lostAt = Number.NEGATIVE_INFINITY;
  const onRetry = (): void => {
    lostAt = performance.now();
    options.onRetry?.();
  };

  /** Takes as many accounts, and as many jobs of each, as fit one transaction; at least one job. */
  function take(): Part[] {
    const parts: Part[] = [];
    let weight = 0;
    for (let waiting = ready[0]; waiting !== undefined && weight < maxBatch; waiting = ready[0]) {
      ready.shift();
      let count = 0;
      do weight += (waiting.jobs[count++] as Job).weight;
      while (count < waiting.jobs.length && weight < maxBatch);
      waiting.busy = true;
      parts.push({ waiting, jobs: waiting.jobs.splice(0, count) });
    }
    return parts;
  }

  function pump(): void {
    while (running < maxConcurrent && ready.length > 0) {
      running++;
      void work(take());
    }
  }

  async function work(parts: readonly Part[]): Promise<void> {
    // After a recent conflict, the transaction locks the accounts before reading them: see
    // readAccounts.
    await options.grantLocks.runExclusive(grantsOf(parts), () =>
      commitParts({ ...options, onRetry }, parts, performance.now() - lostAt < rivalMs),
    );
    running--;
    pump();
    const lost = performance.now() - lostAt < rivalMs;
    if (lost && parts.some(({ waiting }) => waiting.jobs.length > 0)) await sleep(Math.random() * yieldMs);
    for (const { waiting } of parts) {
      waiting.busy = false;
      if (waiting.jobs.length > 0) ready.push(waiting);
      else accounts.delete(waiting.accountId);
    }
    pump();
    if (accounts.size === 0) for (const resolve of untilIdle.splice(0)) resolve();
  }

  function enqueue(accountId: string, job: Job): boolean {
    const waiting = accounts.get(accountId) ?? { accountId, jobs: [], busy: false };
    if (waiting.jobs.length >= maxQueue) return false;
    accounts.set(accountId, waiting);
    if (waiting.jobs.push(job) === 1 && !waiting.busy) {
      ready.push(waiting);
      // Operations submitted in the same turn of the event loop are committed together.
      if (ready.length === 1) setImmediate(pump);
    }
    return true;
  }

  return {
    submit<A>(operation: Operation<A>): Promise<A> {
      return new Promise<A>((resolve, reject) => {
        const done = (decided: Decided): void => (decided.ok ? resolve(decided.response as A) : reject(decided.error));
        const job = { operation, weight: weigh(operation), done };
        if (enqueue(operation.accountId, job)) return;
        reject(
          new GatewayError("service_unavailable", "Too many changes are pending for this account. Retry shortly."),
        );
      });
    },
    idle: () => (accounts.size === 0 ? Promise.resolve() : new Promise((resolve) => void untilIdle.push(resolve))),
  };
}

/**
 * When one account conflicts, it must not hold up the others: each half is committed separately.
 */
async function commitParts(options: QueueOptions, parts: readonly Part[], again: boolean): Promise<void> {
  const lines = parts.map(({ waiting, jobs }) => ({
    accountId: waiting.accountId,
    operations: jobs.map(({ operation }) => operation),
  }));
  try {
    const committed = await commitLines({ ...options, yields: parts.length > 1 }, lines, again);
    parts.forEach((part, index) => {
      respond(options, part, committed[index] as Committed);
    });
  } catch (error) {
    if (parts.length === 1 || error instanceof GatewayError) {
      for (const { jobs } of parts) for (const { done } of jobs) done({ ok: false, error });
      return;
    }
    options.onRetry?.();
    const middle = parts.length >> 1;
    const halves = [parts.slice(0, middle), parts.slice(middle)];
    await Promise.all(halves.map((half) => commitParts(options, half, true)));
  }
}

function respond(options: QueueOptions, { waiting, jobs }: Part, { decided, availableRose }: Committed): void {
  jobs.forEach(({ done }, index) => {
    done(decided[index] as Decided);
  });
  if (availableRose) options.onFunds(waiting.accountId);
}
