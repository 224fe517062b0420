import { type SpendCaps, SpendLease, type SpendLeasing } from "./spend-lease.ts";

/** A credential whose spending is limited. */
export interface CappedCredential {
  readonly provider: string;
  readonly credentialId: string;
  readonly caps: SpendCaps;
}

/** The leases of one holder, by credential and day. */
export class CredentialSpend {
  readonly #leasing: SpendLeasing;
  readonly #leases = new Map<string, SpendLease>();

  constructor(leasing: SpendLeasing) {
    this.#leasing = leasing;
  }

  /** @param day of the request's start, as `2027-01-31` */
  leaseOf({ provider, credentialId, caps }: CappedCredential, day: string): SpendLease {
    const key = `${provider}/${credentialId}/${day}`;
    const known = this.#leases.get(key);
    if (known !== undefined) {
      known.caps = caps;
      return known;
    }
    const made = new SpendLease(this.#leasing, { provider, credentialId, day }, caps);
    this.#leases.set(key, made);
    return made;
  }

  /** Gives back idle leases. Called about once a second. @param today as `2027-01-31` */
  advance(today: string): void {
    for (const [key, lease] of this.#leases) {
      lease.advance();
      if (lease.day < today && lease.isIdle) this.#leases.delete(key);
    }
  }
}
