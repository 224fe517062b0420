import { sseEvents } from "@uag/harness/fleet/sse";

interface Hint {
  readonly type: string;
  readonly account_id: string | null;
}

/** A page that listens for notifications. */
export class Listener implements Disposable {
  readonly hints: Hint[] = [];
  /** Resolves when the console's response has begun. */
  readonly open: Promise<void>;
  readonly #controller = new AbortController();

  constructor(url: string, cookie: string) {
    const response = fetch(url, { headers: { cookie }, signal: this.#controller.signal });
    this.open = response.then(({ status }) => {
      if (status !== 200) throw new Error(`the console responded ${status}`);
    });
    response.then((response) => this.#listen(response)).catch(() => undefined);
  }

  async #listen({ body }: Response): Promise<void> {
    if (body === null) return;
    for await (const { data } of sseEvents(body)) this.hints.push(JSON.parse(data) as Hint);
  }

  [Symbol.dispose](): void {
    this.#controller.abort();
  }
}
