/**
 * A bounded map that forgets what was not used lately. It keeps two generations: what is read moves to the young one, and
 * when that is full the old one goes. Reading costs one look-up, not a reordering.
 */
export class Generations<V> {
  readonly #limit: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** @param limit most entries kept; at least half as many of the latest used ones always are */
  constructor(limit: number) {
    this.#limit = Math.max(1, Math.floor(limit / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
