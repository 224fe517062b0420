import { GatewayError } from "@uag/contract/errors/gateway-error";
import { consoleHeader } from "@uag/contract/routes";
import { AdminRole, type AdminToken } from "@uag/proto/billing/v1/admin.ts";
import { digestKey, parseKey } from "@uag/runtime/api-key";
import type { Clock } from "@uag/runtime/clock";
import { Failures } from "@uag/runtime/failures";
import type { Keyring } from "@uag/runtime/keyring";
import { networkOf } from "@uag/untrusted/http/network";
import type { Request } from "express";
import { LRUCache } from "lru-cache";
import { bearerKey } from "../keys/bearer.ts";
import type { Administrator } from "./administrator.ts";
import type { AdminClients } from "./clients.ts";
import type { FailedLogins } from "./failed-logins.ts";

export interface AdminAuthenticatorOptions {
  readonly clients: Pick<AdminClients, "admin">;
  /** Length of the HMAC over tokens; the same as billing's. */
  readonly peppers: Keyring;
  readonly failedLogins: FailedLogins;
  readonly clock: Clock;
}

const hint = "Send it as: Authorization: Bearer <admin token>.";
const formed = /^[\x21-\x7e]{24,200}$/;

/** Wrong tokens allowed from one address: as a burst, and per second. */
const guesses = { free: 10, perSecond: 0.5, max: 10_000 };
/** A new token works within a second, even if it was tried before it existed. */
const refusalMs = 500;
const maxRefusals = 10_000;
const maxKnown = 1_000;
const maxConsoles = 16;
/** How long a console is not looked up again; what a revoked one says counts for that long. */
const consoleMs = 10_000;

function tokenOf(request: Request): string {
  try {
    return bearerKey(request.headers, request.rawHeaders);
  } catch (cause) {
    throw new GatewayError("invalid_api_key", `No admin token was sent. ${hint}`, { cause });
  }
}

/** @throws {GatewayError} `invalid_api_key` for what cannot be an admin token */
function checkForm(token: string): void {
  if (parseKey(token) !== undefined) {
    throw new GatewayError("invalid_api_key", `The admin API needs an admin token, not an API key. ${hint}`);
  }
  if (!formed.test(token)) throw notValid();
}

const notValid = (): GatewayError => new GatewayError("invalid_api_key", `The admin token is not valid. ${hint}`);

/**
 * Authenticates administrators by their tokens. Billing is called each time, so a revoked token
 * stops at once; but of an address that guesses only tokens that were valid before are looked up,
 * until it has waited.
 */
export class AdminAuthenticator {
  readonly #options: AdminAuthenticatorOptions;
  readonly #guesses: Failures;
  /** Digests of invalid tokens, with the time of their lookup (monotonic milliseconds). */
  readonly #refused = new LRUCache<string, number>({ max: maxRefusals });
  readonly #known = new LRUCache<string, true>({ max: maxKnown });
  /** Digests of tokens of consoles, with the time of their lookup (monotonic milliseconds). */
  readonly #consoles = new LRUCache<string, number>({ max: maxConsoles });

  constructor(options: AdminAuthenticatorOptions) {
    this.#options = options;
    this.#guesses = new Failures({ clock: options.clock, ...guesses });
  }

  /**
   * @param address the request's client
   * @throws {GatewayError} `invalid_api_key`; `rate_limit_exceeded` to an address that guesses;
   * `service_unavailable` when billing cannot be reached
   */
  async enter(
    request: Request,
    { address, requestId }: { address: string; requestId: string },
  ): Promise<Administrator> {
    const token = tokenOf(request);
    const {
      id,
      name,
      role,
      accountId,
      budgetId = "",
    } = await this.#find(token, address).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === "invalid_api_key")
        this.#options.failedLogins.add({ address, requestId, reason: error.message });
      throw error;
    });
    return { actor: { id, name, requestId, clientAddress: address }, role, accountId, budgetId };
  }

  /**
   * Whether the console sends the request, which alone may report a client's address here: it
   * proves itself by its own operator token. Anyone else's `x-forwarded-for` could name any address
   * in the audit log, and evade the limit on guesses.
   */
  async isFromConsole(request: Request, peer: string): Promise<boolean> {
    const header = request.headers[consoleHeader];
    const token = typeof header === "string" ? header : "";
    if (!formed.test(token)) return false;
    const name = digestKey(token, this.#options.peppers.current.secret).toString("hex");
    const checkedAt = this.#consoles.get(name);
    if (checkedAt !== undefined && this.#options.clock.monotonic() - checkedAt < consoleMs) return true;
    const found = await this.#find(token, peer).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code !== "service_unavailable") return undefined;
      throw error;
    });
    if (found?.role !== AdminRole.OPERATOR || found.accountId !== "") return false;
    this.#consoles.set(name, this.#options.clock.monotonic());
    return true;
  }

  async #find(token: string, address: string): Promise<AdminToken> {
    const source = networkOf(address);
    const { current, previous } = this.#options.peppers;
    const digest = digestKey(token, current.secret);
    const name = digest.toString("hex");
    const waitMs = this.#known.get(name) === true ? 0 : this.#guesses.waitMs(source);
    if (waitMs > 0) throw tooMany(waitMs);
    const refusedAt = this.#refused.get(name);
    const refused = refusedAt !== undefined && this.#options.clock.monotonic() - refusedAt < refusalMs;
    try {
      checkForm(token);
      if (refused) throw notValid();
      const found = await this.#resolve(
        digest,
        previous.map((pepper) => digestKey(token, pepper.secret)),
      );
      this.#known.set(name, true);
      return found;
    } catch (error) {
      if (error instanceof GatewayError && error.code === "invalid_api_key") {
        this.#guesses.add(source);
        // A refusal from memory does not extend the entry: otherwise a client that retries
        // continuously would be locked out for ever.
        if (!refused) this.#refuse(name);
      }
      throw error;
    }
  }

  async #resolve(digest: Buffer, previousDigests: Buffer[]): Promise<AdminToken> {
    try {
      return await this.#options.clients.admin.resolveAdminToken({ digest, previousDigests });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
      throw notValid();
    }
  }

  #refuse(name: string): void {
    this.#known.delete(name);
    this.#refused.set(name, this.#options.clock.monotonic());
  }
}

function tooMany(retryAfterMs: number): GatewayError {
  const text = "Too many admin tokens from this address were not valid. Wait before you try another.";
  return new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
}
