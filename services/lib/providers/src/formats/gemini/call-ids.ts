interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/**
 * The ids of a conversation's function calls, which clients may leave out: then a response belongs
 * to the first open call of its function.
 */
export class CallIds {
  readonly #open: OpenCall[] = [];
  #made = 0;

  call(id: string | undefined, name: string): string {
    const own = id || this.#make();
    this.#open.push({ id: own, name });
    return own;
  }

  response(id: string | undefined, name: string): string {
    const byId = this.#open.findIndex((call) => call.id === id);
    const at = byId >= 0 ? byId : this.#open.findIndex((call) => call.name === name);
    const [found] = at < 0 ? [] : this.#open.splice(at, 1);
    return found?.id ?? (id || this.#make());
  }

  #make(): string {
    return `call_${++this.#made}`;
  }
}
