import type { Provider, Upstream } from "@uag/catalog/types";
import type { Clock } from "@uag/runtime/clock";
import type { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import { reportedLimit, requestLimits, tokenLimits } from "./rate-headers.ts";
import { RateLimit } from "./rate-limit.ts";

/** A failure that concerns our account at a provider. */
export type Rejection = "operator" | "quota";

/** Cooldowns without a delay requested by the provider. */
const cooldownMs = { operator: 60_000, quota: 300_000, capacity: 10_000 } as const;

/** Until when something is only used as a last resort. */
class Rest {
  until = 0;
  /** Stays after the cooldown, until a call succeeds. */
  rejection: Rejection | undefined;

  extend(until: number): void {
    this.until = Math.max(this.until, until);
  }

  clear(): void {
    this.until = 0;
    this.rejection = undefined;
  }
}

/** One account's limits for one model. */
class Limits {
  /** After a response with status 429. */
  readonly rest = new Rest();
  readonly requests = new RateLimit();
  readonly tokens = new RateLimit();

  availableFrom(tokens: number, now: number): number {
    const { until } = this.rest;
    const limited = Math.max(this.requests.availableFrom(1, now), this.tokens.availableFrom(tokens, now));
    return Math.max(until > now ? until : 0, limited);
  }
}

class Account {
  readonly rest = new Rest();
  /** By the provider's name of the model. */
  readonly limits = new Map<string, Limits>();
}

/** What an upstream's credential shares with others: its key, its account, the account's limits. */
interface Standing {
  readonly key: Rest;
  readonly account: Account;
  readonly limits: Limits;
}

/** A credential's state in one process. */
export interface CredentialState {
  readonly rejection: Rejection | undefined;
  /** How long it is only used as a last resort, for some model; milliseconds. */
  readonly cooldownForMs: number;
}

type Named = Pick<Provider, "name" | "credential">;

/** Entries that are remembered in each map; more are forgotten, the oldest first. */
const maxKept = 2_000;

function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const [oldest] = map.keys();
  if (map.size >= maxKept && oldest !== undefined) map.delete(oldest);
  const made = make();
  map.set(key, made);
  return made;
}

/** Which credentials of providers can be used, by the responses to their calls. */
export class CredentialHealth {
  readonly #keys = new Map<string, Rest>();
  readonly #accounts = new Map<string, Account>();
  /** Spares requests the maps' keys. */
  readonly #standings = new WeakMap<Upstream, Standing>();
  readonly #clock: Clock;
  /** Spares requests everything while no call has failed and no provider has several credentials. */
  #hasFailed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time of the monotonic clock, milliseconds. */
  now(): number {
    return this.#clock.monotonic();
  }

  /**
   * When a call with the upstream's credential may be made, in milliseconds of the monotonic clock;
   * 0: now.
   * @param tokens that the call may use
   * @param now read once for all credentials of a pool
   */
  availableFrom(upstream: Upstream, tokens: number, now?: number): number {
    if (!this.#hasFailed && upstream.pool === undefined) return 0;
    const at = now ?? this.now();
    const { key, account, limits } = this.#standingOf(upstream);
    const until = Math.max(key.until, account.rest.until);
    return Math.max(until > at ? until : 0, limits.availableFrom(tokens, at));
  }

  /** Why the upstream's credential is avoided. */
  whyAvoided(upstream: Upstream): "rate_limit" | "cooldown" {
    const { key, account } = this.#standingOf(upstream);
    return Math.max(key.until, account.rest.until) > this.#clock.monotonic() ? "cooldown" : "rate_limit";
  }

  /** Whether a call finds out if a rejected credential works again. */
  isProbe(upstream: Upstream): boolean {
    if (!this.#hasFailed) return false;
    const { key, account } = this.#standingOf(upstream);
    return key.rejection !== undefined || account.rest.rejection !== undefined;
  }

  /** A call is sent. After a rejection, one call at a time tries the credential again. */
  began(upstream: Upstream, tokens: number): void {
    if (upstream.pool === undefined) return;
    const { key, account, limits } = this.#standingOf(upstream);
    limits.requests.began(1);
    limits.tokens.began(tokens);
    for (const rest of [key, account.rest])
      if (rest.rejection !== undefined) rest.extend(this.#clock.monotonic() + cooldownMs[rest.rejection]);
  }

  /** The call's response has begun, or never will. */
  ended(upstream: Upstream, tokens: number): void {
    if (upstream.pool === undefined) return;
    const { limits } = this.#standingOf(upstream);
    limits.requests.ended(1);
    limits.tokens.ended(tokens);
  }

  succeeded(upstream: Upstream): void {
    if (!this.#hasFailed) return;
    const { key, account } = this.#standingOf(upstream);
    key.clear();
    account.rest.clear();
  }

  /** Returns whether the failure concerns the credential, not the upstream. */
  failed(upstream: Upstream, { kind, retryAfterMs }: UpstreamFailure): boolean {
    if (kind !== "operator" && kind !== "quota" && kind !== "capacity") return false;
    this.#hasFailed = true;
    const { key, account, limits } = this.#standingOf(upstream);
    const rest = { operator: key, quota: account.rest, capacity: limits.rest }[kind];
    rest.extend(this.#clock.monotonic() + (retryAfterMs ?? cooldownMs[kind]));
    if (kind !== "capacity") rest.rejection = kind;
    return true;
  }

  /** Reads the limits that a response reports, where another credential can take the next call. */
  observe(upstream: Upstream, response: Pick<HttpResponse, "header">): void {
    if (upstream.pool === undefined) return;
    const { limits } = this.#standingOf(upstream);
    const now = this.#clock.monotonic();
    const wall = this.#clock.now();
    const requests = reportedLimit(response, requestLimits);
    if (requests !== undefined) limits.requests.report(requests, now, wall);
    const tokens = reportedLimit(response, tokenLimits);
    if (tokens !== undefined) limits.tokens.report(tokens, now, wall);
  }

  /** The state of a provider's credential, whatever the model. */
  stateOf(provider: Named): CredentialState {
    const now = this.#clock.monotonic();
    const key = this.#keys.get(keyOf(provider));
    const account = this.#accounts.get(accountOf(provider));
    const limited = [...(account?.limits.values() ?? [])].map((limits) => limits.availableFrom(1, now));
    const until = Math.max(key?.until ?? 0, account?.rest.until ?? 0, ...limited);
    const rejection = account?.rest.rejection ?? key?.rejection;
    return { rejection, cooldownForMs: Math.max(0, Math.round(until - now)) };
  }

  #standingOf(upstream: Upstream): Standing {
    const known = this.#standings.get(upstream);
    if (known !== undefined) return known;
    const { provider, model } = upstream;
    const account = kept(this.#accounts, accountOf(provider), () => new Account());
    const limits = kept(account.limits, model, () => new Limits());
    const standing = { key: kept(this.#keys, keyOf(provider), () => new Rest()), account, limits };
    this.#standings.set(upstream, standing);
    return standing;
  }
}

const keyOf = ({ name, credential }: Named): string => `${name}\n${credential.id}`;
const accountOf = ({ name, credential }: Named): string => `${name}\n${credential.account}`;
