import type { budgetPeriods } from "@uag/contract/responses/admin-budgets";

/** An account to be created. */
export interface PlannedAccount {
  /** Its id here, the same in each import. */
  readonly id: string;
  readonly name: string;
  /** USD that it has left; undefined: none. */
  readonly balance: string | undefined;
}

/** A budget that keys share. `ref` names it within the plan. */
export interface PlannedBudget {
  readonly ref: string;
  readonly name: string;
  readonly parent: string | undefined;
  /** Undefined: the account that the command names. */
  readonly account?: string | undefined;
  /** USD in each period. */
  readonly amount: string;
  readonly period: (typeof budgetPeriods)[number];
  /** Of all keys below it together; null: unlimited. */
  readonly limits?: Rates;
}

/** Limits of requests, tokens and concurrency, as fields of the admin API. */
export interface Rates {
  readonly rpm_limit: number | null;
  readonly tpm_limit: number | null;
  readonly max_parallel_requests: number | null;
}

/** A key to be issued in place of one of the other gateway. */
export interface PlannedKey {
  /** The other gateway's id of the key, unique there; stored in `metadata.imported_from`. */
  readonly origin: string;
  /** How its owner recognizes it, such as `sk-...abcd`. */
  readonly hint: string;
  /** The `ref` of its budget. */
  readonly budget: string | undefined;
  /** Undefined: the account that the command names. */
  readonly account?: string | undefined;
  /** Fields of `POST /admin/v1/keys`. */
  readonly fields: Readonly<Record<string, unknown>> & {
    readonly key_alias: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

/** A provider to be added. */
export interface PlannedProvider {
  readonly id: string;
  readonly template: string;
  readonly baseUrl: string | undefined;
}

/** How a credential shares the calls to its provider, as fields of the admin API. */
export interface CredentialShare {
  readonly name: string;
  readonly weight?: number;
  /** The lowest number is used first. */
  readonly priority?: number;
}

/** A provider's API key. */
export interface PlannedCredential {
  readonly provider: string;
  readonly secret: string;
  readonly share: CredentialShare | undefined;
}

/** A model to be added: the fields of `POST /admin/v1/models`. */
export interface PlannedModel {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly upstreams: readonly { readonly provider: string }[] };
}

/** Another name for a model. */
export interface PlannedAlias {
  readonly model: string;
  readonly alias: string;
}

/** Models that respond in a model's place. */
export interface PlannedFallbacks {
  readonly model: string;
  readonly fallbacks: readonly string[];
}

/** What cannot be brought over, or not as it was. */
export interface Note {
  readonly what: string;
  readonly why: string;
}

/** What the other gateway has, in terms of this one. */
export interface Plan {
  readonly accounts: PlannedAccount[];
  readonly budgets: PlannedBudget[];
  readonly keys: PlannedKey[];
  readonly providers: PlannedProvider[];
  readonly credentials: PlannedCredential[];
  readonly models: PlannedModel[];
  readonly aliases: PlannedAlias[];
  readonly fallbacks: PlannedFallbacks[];
  readonly notes: Note[];
}

export const emptyPlan = (): Plan => ({
  accounts: [],
  budgets: [],
  keys: [],
  providers: [],
  credentials: [],
  models: [],
  aliases: [],
  fallbacks: [],
  notes: [],
});

/** What a budget that is used up has left: a budget of zero does not exist. */
const leastUsd = "0.000000001";

/** USD with nine decimals, at least a nano-dollar. */
export function usdLeft(amount: number, spent = 0): string {
  const left = (amount - spent).toFixed(9);
  return Number(left) > 0 ? left : leastUsd;
}
