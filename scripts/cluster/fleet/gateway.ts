import { setTimeout as sleep } from "node:timers/promises";
import type { Kubectl } from "../node/kubectl.ts";
import { namespace } from "./install.ts";

const accountId = "acme";
const startingBalanceUsd = "1000";
const settleTimeoutMs = 60_000;

export interface Sent {
  readonly status: number;
  readonly text: string;
  /** Nano-dollars, if the response's headers have it. */
  readonly cost: bigint | undefined;
}

/** What the ledger has of the account of the load. */
export interface Books {
  readonly settledRequests: number;
  /** Nano-dollars. */
  readonly charged: bigint;
}

const nano = (usd: string): bigint => {
  const [whole = "0", fraction = ""] = usd.split(".");
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9));
};

/** A client of the fleet: of the public API by the router's Service, and of the admin API. */
export class Gateway {
  readonly #kubectl: Kubectl;
  readonly #url: string;
  readonly #key: string;
  readonly #adminToken: string;

  private constructor(kubectl: Kubectl, { url, key, adminToken }: { url: string; key: string; adminToken: string }) {
    this.#kubectl = kubectl;
    this.#url = url;
    this.#key = key;
    this.#adminToken = adminToken;
  }

  /** Creates an account with money and a key, as the handbook says. */
  static async open(kubectl: Kubectl): Promise<Gateway> {
    const service = await kubectl.get("--namespace", namespace, "service", "uag-router");
    const secret = await kubectl.get("--namespace", namespace, "secret", "uag-billing");
    const adminToken = Buffer.from(secret.data["ADMIN_TOKEN"], "base64").toString();
    const url = `http://${service.spec.clusterIP}:8080`;
    const without = new Gateway(kubectl, { url, key: "", adminToken });
    await without.#admin("POST", "accounts", { id: accountId, name: "Acme" });
    await without.#admin("POST", `accounts/${accountId}/top-ups`, {
      amount_usd: startingBalanceUsd,
      reference: "first",
    });
    const { key } = (await without.#admin("POST", "keys", { account_id: accountId, key_alias: "first" })) as {
      key: string;
    };
    return new Gateway(kubectl, { url, key, adminToken });
  }

  async #admin(method: string, path: string, body?: object): Promise<unknown> {
    const pods = await this.#kubectl.get("--namespace", namespace, "endpoints", "uag-router-admin");
    const ip = pods.subsets[0].addresses[0].ip as string;
    const response = await fetch(`http://${ip}:9464/admin/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Sends one request and reads its whole response. Rejects when the connection fails. */
  async send({ words, stream }: { readonly words: number; readonly stream: boolean }): Promise<Sent> {
    const messages = [{ role: "user", content: `repeat ${words} words ${Math.random()}` }];
    const response = await fetch(`${this.#url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages, stream }),
    });
    const text = await response.text();
    if (stream && response.ok && !text.includes("[DONE]")) throw new Error(`a stream ended early: ${text.slice(-200)}`);
    const cost = response.headers.get("x-gateway-cost-usd");
    return { status: response.status, text, cost: cost === null ? undefined : nano(cost) };
  }

  /** Runs an operator's command in the toolbox, and returns its output. */
  uag(...args: readonly string[]): Promise<string> {
    return this.#kubectl.run(["--namespace", namespace, "exec", "deploy/uag-toolbox", "--", "node", "uag.js", ...args]);
  }

  /** Has billing re-add the whole ledger, which needs no router. @throws {Error} with every difference */
  async ledger(): Promise<{ readonly text: string; readonly settledRequests: number }> {
    const text = await this.uag("audit");
    return { text, settledRequests: Number(/([\d,]+) settled requests/.exec(text)?.[1]?.replaceAll(",", "")) };
  }

  /** The ledger, when so many requests are settled, at the latest after a minute. */
  async settledLedger(expected: number): Promise<{ readonly text: string; readonly settledRequests: number }> {
    for (const deadline = performance.now() + settleTimeoutMs; ; await sleep(2_000)) {
      const ledger = await this.ledger();
      if (ledger.settledRequests >= expected || performance.now() > deadline) return ledger;
    }
  }

  /** Audits when so many requests are settled, at the latest after a minute. */
  async audit(expected = 0): Promise<{ readonly text: string; readonly books: Books }> {
    const { text, settledRequests } = await this.settledLedger(expected);
    const account = (await this.#admin("GET", `accounts/${accountId}`)) as { charged_usd: string };
    return { text, books: { settledRequests, charged: nano(account.charged_usd) } };
  }
}
