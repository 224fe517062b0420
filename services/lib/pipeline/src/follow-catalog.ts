import type { CatalogOverlay, OverlayEntry } from "@uag/catalog/overlay";
import type { CatalogChanges } from "@uag/catalog/parse";
import { parsePriceVersion } from "@uag/catalog/price-versions";
import type { FollowedCatalog } from "@uag/catalog/store";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { catalogChangedSubject } from "@uag/contract/messages/billing";
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type GetOverlayResponse,
  type OverlayModel,
  type OverlayProvider,
} from "@uag/proto/billing/v1/catalog.ts";
import type { Bus } from "@uag/runtime/bus";
import type { HealthCheck } from "@uag/runtime/health";
import type { Logger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { startGraceMs } from "@uag/runtime/start-grace";

const usualEveryMs = 2_000;
const timeoutMs = 10_000;

/** What {@link followCatalog} needs. */
export interface CatalogFollowerOptions {
  readonly catalog: Pick<FollowedCatalog, "apply">;
  /** Billing's gRPC address. */
  readonly address: string;
  readonly identity: Identity;
  /** Announces changes, so that they are read at once. */
  readonly bus: Pick<Bus, "subscribe" | "onChange">;
  readonly log: Logger;
  /** How often billing is asked without an announcement, milliseconds; default 2,000. */
  readonly everyMs?: number;
  /** How long billing may take to start before a failure is a warning; default one minute. */
  readonly startGraceMs?: number;
}

/** Follows what operators changed of the catalogue in the running gateway. */
export interface CatalogFollower extends Disposable {
  /** Passes once billing has returned the changes. */
  readonly check: HealthCheck;
  /** Resolves when billing has returned the changes, or failed to for the first time. */
  readonly asked: Promise<void>;
  /** Why no request can be admitted until then: neither its price nor its provider is known. */
  refusal(): GatewayError | undefined;
}

const entryOf = (name: string, { enabled, added, fields }: OverlayModel | OverlayProvider): OverlayEntry => ({
  name,
  enabled,
  added,
  fields: JSON.parse(fields) as Record<string, unknown>,
});

function overlayOf({ overlayVersion, providers, models, credentials }: GetOverlayResponse): CatalogOverlay {
  return {
    version: Number(overlayVersion),
    providers: providers.map((provider) => entryOf(provider.name, provider)),
    models: models.map((model) => entryOf(model.id, model)),
    credentials: credentials.map(({ value, reference = "", share, ...same }) => ({
      ...same,
      weight: share?.weight ?? 1,
      priority: share?.priority ?? 0,
      account: share?.account ?? "",
      dailyCapUsd: share?.dailyCapUsd ?? 0,
      monthlyCapUsd: share?.monthlyCapUsd ?? 0,
      secret: value === undefined ? { reference } : { value },
    })),
  };
}

const changesOf = (response: GetOverlayResponse): CatalogChanges => ({
  accepted: response.acceptedPrices.map((row) => parsePriceVersion(JSON.parse(row))),
  overlay: overlayOf(response),
});

/** Keeps a catalogue up to date with the changes that billing keeps. */
class Follower implements CatalogFollower {
  readonly #options: CatalogFollowerOptions;
  readonly #client: RpcClient<CatalogServiceServer>;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  /** Of the changes read last; undefined before the first. */
  #version: string | undefined;
  #polling = false;
  /** A change was announced while billing was asked. */
  #announced = false;
  readonly #startedAt = performance.now();
  readonly asked: Promise<void>;

  constructor(options: CatalogFollowerOptions) {
    this.#options = options;
    this.#client = createRpcClient<CatalogServiceServer>(CatalogServiceService, options.address, options.identity);
    this.#timer = setInterval(() => void this.#poll(), options.everyMs ?? usualEveryMs).unref();
    options.bus.subscribe(catalogChangedSubject, () => void this.#poll());
    this.#unsubscribe = options.bus.onChange((connected) => void (connected && this.#poll()));
    this.asked = this.#poll();
  }

  readonly check: HealthCheck = async () =>
    this.#version === undefined ? { ok: false, reason: "changes of the catalogue are not known yet" } : { ok: true };

  refusal(): GatewayError | undefined {
    if (this.#version !== undefined) return undefined;
    const cause = new Error("changes of the catalogue are not known");
    return new GatewayError("service_unavailable", undefined, { cause });
  }

  async #poll(): Promise<void> {
    if (this.#polling) {
      this.#announced = true;
      return;
    }
    this.#polling = true;
    try {
      do {
        this.#announced = false;
        await this.#read();
      } while (this.#announced);
    } catch (error) {
      this.#options.log[this.#isStarting ? "info" : "warn"](
        { err: error },
        "reading changes of the catalogue from billing failed",
      );
    } finally {
      this.#polling = false;
    }
  }

  async #read(): Promise<void> {
    const response = await this.#client.getOverlay({ version: this.#version ?? "" }, { timeoutMs });
    if (response.changed) await this.#options.catalog.apply(changesOf(response));
    this.#version = response.version;
  }

  /** Billing may start after this process. */
  get #isStarting(): boolean {
    const graceMs = this.#options.startGraceMs ?? startGraceMs;
    return this.#version === undefined && performance.now() - this.#startedAt < graceMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.#client[Symbol.dispose]();
  }
}

/** Reads the changes from billing: now, whenever one is announced, and every two seconds. */
export const followCatalog = (options: CatalogFollowerOptions): CatalogFollower => new Follower(options);
