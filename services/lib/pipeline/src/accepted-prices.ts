import { parsePriceVersion } from "@uag/catalog/price-versions";
import type { FollowedCatalog } from "@uag/catalog/store";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import type { HealthCheck } from "@uag/runtime/health";
import type { Logger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { AdmissionOfProcess } from "@uag/usage/types";

const usualEveryMs = 2_000;
const timeoutMs = 10_000;

/** What {@link followPrices} needs. */
export interface PriceFollowerOptions {
  readonly catalog: Pick<FollowedCatalog, "accept">;
  /** Billing's gRPC address. */
  readonly address: string;
  readonly identity: Identity;
  readonly log: Logger;
  /** How often billing is asked, milliseconds; default 2,000. */
  readonly everyMs?: number;
}

/** Follows the prices that operators accepted in the running gateway. */
export interface PriceFollower extends Disposable {
  /** Passes once billing has returned the accepted prices. */
  readonly check: HealthCheck;
  /** An admission that refuses requests until then: their price is not known. */
  guard(admission: AdmissionOfProcess): AdmissionOfProcess;
}

/** Keeps a catalogue up to date with the prices that billing keeps. */
class Follower implements PriceFollower {
  readonly #options: PriceFollowerOptions;
  readonly #client: RpcClient<PriceServiceServer>;
  readonly #timer: NodeJS.Timeout;
  /** Of the list in force; undefined before the first. */
  #version: string | undefined;
  #polling = false;

  constructor(options: PriceFollowerOptions) {
    this.#options = options;
    this.#client = createRpcClient<PriceServiceServer>(PriceServiceService, options.address, options.identity);
    this.#timer = setInterval(() => void this.#poll(), options.everyMs ?? usualEveryMs).unref();
    void this.#poll();
  }

  readonly check: HealthCheck = async () =>
    this.#version === undefined ? { ok: false, reason: "accepted prices are not known yet" } : { ok: true };

  guard(admission: AdmissionOfProcess): AdmissionOfProcess {
    const known = (): void => {
      if (this.#version !== undefined) return;
      throw new GatewayError("service_unavailable", undefined, { cause: new Error("accepted prices are not known") });
    };
    return {
      check: admission.check,
      alive: admission.alive,
      admitFree: (request) => admission.admitFree(request),
      findTaskGrant: (task) => admission.findTaskGrant(task),
      settleTask: (event) => admission.settleTask(event),
      [Symbol.asyncDispose]: () => admission[Symbol.asyncDispose](),
      admit: async (request) => {
        known();
        return await admission.admit(request);
      },
      admitTask: async (task) => {
        known();
        return await admission.admitTask(task);
      },
    };
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      const { version, rows } = await this.#client.listAcceptedPrices({ version: this.#version ?? "" }, { timeoutMs });
      if (version !== this.#version)
        await this.#options.catalog.accept(rows.map((row) => parsePriceVersion(JSON.parse(row))));
      this.#version = version;
    } catch (error) {
      this.#options.log.warn({ err: error }, "accepted prices could not be read from billing");
    } finally {
      this.#polling = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#client[Symbol.dispose]();
  }
}

/** Reads the accepted prices from billing, at once and every two seconds. */
export const followPrices = (options: PriceFollowerOptions): PriceFollower => new Follower(options);
