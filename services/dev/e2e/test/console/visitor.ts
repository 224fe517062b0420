import assert from "node:assert/strict";

export interface VisitorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a response
  json(): any;
}

type Headed = Readonly<Record<string, string>>;

/** A user's browser at the console, which sends a cookie and a CSRF token. */
export class Visitor {
  readonly #base: string;
  readonly #cookies = new Map<string, string>();
  setCookie = "";
  csrf = "";

  /** @param base address of the console */
  constructor(base: string) {
    this.#base = base;
  }

  /** The `cookie` header of this browser. */
  get cookie(): string {
    return [...this.#cookies.values()].join("; ");
  }

  set cookie(header: string) {
    for (const pair of header.split("; ")) this.#cookies.set(pair.slice(0, pair.indexOf("=")), pair);
  }

  async signIn(email: string, password: string): Promise<this> {
    const response = await this.post("/api/session", { email, password });
    assert.equal(response.status, 201, response.text);
    this.csrf = response.json().csrf_token;
    return this;
  }

  get(path: string, headers: Headed = {}): Promise<VisitorResponse> {
    return this.send("GET", path, { headers });
  }

  post(path: string, body: unknown, headers: Headed = {}): Promise<VisitorResponse> {
    return this.send("POST", path, { headers, body });
  }

  patch(path: string, body: unknown): Promise<VisitorResponse> {
    return this.send("PATCH", path, { body });
  }

  delete(path: string): Promise<VisitorResponse> {
    return this.send("DELETE", path);
  }

  async send(method: string, path: string, { headers = {}, body }: { headers?: Headed; body?: unknown } = {}) {
    const response = await fetch(this.#base + path, {
      method,
      redirect: "manual",
      headers: {
        cookie: this.cookie,
        ...(method !== "GET" && { "x-csrf-token": this.csrf }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#keep(response);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  }

  #keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      this.cookie = line.split(";", 1)[0] ?? "";
      if (line.startsWith("console_session=")) this.setCookie = line;
    }
  }
}
