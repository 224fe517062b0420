import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AdminApi } from "./client.ts";

/** A provider whose responses a simulator invents. */
export interface SimulatedProvider {
  readonly provider: string;
  /** The variable with which the real one is served. */
  readonly variable: string;
}

export interface SimulatedOptions {
  readonly api: AdminApi;
  /** The console's own token. */
  readonly token: string;
  /** The providers that were simulated when the services were started. */
  readonly configured: readonly SimulatedProvider[];
}

/** Pages do not wait longer for the admin API, milliseconds. */
const patienceMs = 1_000;

const listed = z.object({ data: z.array(z.object({ id: z.string(), state: z.string() })) });

/** The simulated providers: of those that were configured, the ones without a credential since. */
export class SimulatedProviders {
  readonly #options: SimulatedOptions;
  #last: readonly SimulatedProvider[];

  constructor(options: SimulatedOptions) {
    this.#options = options;
    this.#last = options.configured;
  }

  /** Those of now; the last known ones while the admin API does not respond. */
  async now(): Promise<readonly SimulatedProvider[]> {
    if (this.#options.configured.length === 0) return [];
    await Promise.race([this.#read(), sleep(patienceMs, undefined, { ref: false })]);
    return this.#last;
  }

  async #read(): Promise<void> {
    const { api, token, configured } = this.#options;
    const read = await api.call(token, { method: "GET", path: "/providers" }).catch(() => undefined);
    const { success, data } = listed.safeParse(read);
    if (!success) return;
    const states = new Map(data.data.map(({ id, state }) => [id, state]));
    this.#last = configured.filter(({ provider }) => states.get(provider) === "simulated");
  }
}
