import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/kit/errors.ts";
import type { Operation } from "../ledger/book.ts";
import { type CommitOptions, commitOperations, type Decided } from "./commit.ts";

interface Job {
  readonly operation: Operation<unknown>;
  readonly weight: number;
  readonly done: (decided: Decided) => void;
}

/** Rows one transaction may have to read or write: keeps it short, so that others get their turn. */
const largestBatch = 1_024;
/** Operations that may wait for one account; more than this and it is better to say so at once. */
const largestQueue = 4_096;

/** Having lost to another process so lately means that it is probably still trying: let it have a turn. */
const rivalMs = 1_000;
const yieldMs = 10;

/** Changes accounts, each in its own line. */
export interface AccountQueue {
  /**
   * Resolves with the operation's answer once it is committed.
   * @throws {GatewayError} the operation's own refusal, `not_found` without the account, `service_unavailable`.
   */
  submit<A>(operation: Operation<A>): Promise<A>;
}

function weigh(operation: Operation<unknown>): number {
  const { entries = [], grants = [], holders = [], grantRequests = [] } = operation.needs;
  return 1 + entries.length + grants.length + holders.length + grantRequests.length;
}

function nextBatch(waiting: Job[]): Job[] {
  let weight = 0;
  let count = 0;
  while (count < waiting.length) {
    weight += (waiting[count] as Job).weight;
    if (count > 0 && weight > largestBatch) break;
    count++;
  }
  return waiting.splice(0, count);
}

/**
 * Within this process an account's operations wait for each other and whatever waits is committed together, so a hot
 * account costs one transaction at a time and not a storm of conflicts. This is only for speed: what keeps the books
 * right among many processes is the transaction.
 */
export function createAccountQueue(
  options: CommitOptions & { readonly onFunds: (accountId: string) => void },
): AccountQueue {
  const lines = new Map<string, Job[]>();

  async function work(accountId: string, waiting: Job[]): Promise<void> {
    let lostAt = Number.NEGATIVE_INFINITY;
    const onRetry = (): void => {
      lostAt = performance.now();
      options.onRetry();
    };
    while (waiting.length > 0) {
      const batch = nextBatch(waiting);
      const operations = batch.map((job) => job.operation);
      const { decided, availableRose } = await commitOperations({ ...options, onRetry }, operations).catch(
        (error: unknown) => ({
          decided: batch.map(() => ({ ok: false as const, error })),
          availableRose: false,
        }),
      );
      batch.forEach((job, index) => {
        job.done(decided[index] as Decided);
      });
      if (availableRose) options.onFunds(accountId);
      if (waiting.length > 0 && performance.now() - lostAt < rivalMs) await sleep(Math.random() * yieldMs);
    }
    lines.delete(accountId);
  }

  return {
    submit<A>(operation: Operation<A>): Promise<A> {
      return new Promise<A>((resolve, reject) => {
        const done = (decided: Decided): void => (decided.ok ? resolve(decided.answer as A) : reject(decided.error));
        const job = { operation, weight: weigh(operation), done };
        const line = lines.get(operation.accountId);
        if (line === undefined) {
          const waiting = [job];
          lines.set(operation.accountId, waiting);
          void work(operation.accountId, waiting);
        } else if (line.length < largestQueue) line.push(job);
        else reject(new GatewayError("service_unavailable", "Too much is waiting for this account."));
      });
    },
  };
}
