import type { Clock } from "@uag/runtime/clock";
import { type LimitHeaders, limitHeaders, type Standing, tightest, type WindowName } from "./headers.ts";
import { Reservations } from "./reservations.ts";
import type { LimitRequest, ScopeLimits } from "./scope-limits.ts";

/** All limits of a caller: those of its key, then those of the budgets above it, the lowest first. */
export class CallerLimits implements LimitHeaders {
  readonly #scopes: readonly ScopeLimits[];
  readonly #clock: Clock;

  constructor(scopes: readonly ScopeLimits[], clock: Clock) {
    this.#scopes = scopes;
    this.#clock = clock;
  }

  /**
   * Takes from memory; undefined when it would have to wait. @throws {GatewayError} when waiting
   * cannot help
   */
  take(request: LimitRequest): Reservations | undefined {
    this.#check(request);
    const taken = new Reservations();
    for (const scope of this.#scopes) {
      const reservation = scope.take(request);
      if (reservation === undefined) {
        taken.undo();
        return undefined;
      }
      taken.add(reservation);
    }
    taken.headers = this.headers(request.native);
    return taken;
  }

  /**
   * Takes one limit after another, waiting for billing where needed. A refusal by one returns what
   * was taken of the others. @throws {GatewayError}
   */
  async wait(request: LimitRequest): Promise<Reservations> {
    this.#check(request);
    const taken = new Reservations();
    for (const scope of this.#scopes) scope.waiting++;
    try {
      for (const scope of this.#scopes) taken.add(await scope.wait(request, this));
    } catch (error) {
      taken.undo();
      throw error;
    } finally {
      for (const scope of this.#scopes) scope.waiting--;
    }
    taken.headers = this.headers(request.native);
    return taken;
  }

  #check(request: LimitRequest): void {
    for (const scope of this.#scopes) scope.check(request, this);
  }

  /** The headers with, of each kind, the limit that leaves the least. */
  headers(native: boolean, refused?: { readonly name: WindowName; readonly standing: Standing }): string[] {
    const shown = (name: WindowName): Standing | undefined =>
      refused?.name === name ? refused.standing : tightest(this.#scopes.map((scope) => scope.standing(name)));
    return limitHeaders({ requests: shown("requests"), tokens: shown("tokens") }, { native, nowMs: this.#clock.now() });
  }
}
