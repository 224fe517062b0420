/** Most end users of an account that a process keeps purses or permits of. */
export const maxEndUsers = 2_000;

/** The end users that a process has something of, by account, the least recently used first. */
export class RecentEndUsers {
  readonly #byAccount = new Map<string, Set<string>>();
  readonly #accounts = new Map<string, string>();

  /**
   * @param id of what it has of the end user
   * @returns the one whose place it takes; undefined while there are not too many
   */
  use(accountId: string, id: string): string | undefined {
    const ids = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, ids);
    this.#accounts.set(id, accountId);
    ids.delete(id);
    ids.add(id);
    if (ids.size <= maxEndUsers) return undefined;
    const [oldest = ""] = ids;
    this.forget(oldest);
    return oldest;
  }

  /** The process has nothing of it any more, or returns it. */
  forget(id: string): void {
    const accountId = this.#accounts.get(id);
    if (accountId === undefined) return;
    this.#accounts.delete(id);
    const ids = this.#byAccount.get(accountId);
    ids?.delete(id);
    if (ids?.size === 0) this.#byAccount.delete(accountId);
  }
}
