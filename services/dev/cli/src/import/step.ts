import type { AdminApi } from "../commands/admin-api.ts";
import type { MappingFile } from "./mapping-file.ts";

/** What the steps of an import share while they run. */
export interface Run {
  readonly api: AdminApi;
  readonly mapping: MappingFile;
  /** Ids of budgets here, by their `ref` in the plan. */
  readonly budgets: Map<string, string>;
}

/** One change of the gateway. */
export interface Step {
  /** Such as `budget Research: 20 USD a week`; without secrets. */
  readonly text: string;
  /** @throws {UserError} when it is refused */
  run(run: Run): Promise<void>;
}

/** The steps that are left to do, and what the gateway already has. */
export interface Steps {
  readonly steps: Step[];
  readonly present: string[];
  /** Ids of the budgets that exist, by `ref`. */
  readonly budgets: Map<string, string>;
}

/** The account of a budget or a key: its own, else the one that the command names. */
export type AccountOf = (own: string | undefined) => string;

/** An amount without its trailing zeros. */
export const shownUsd = (amount: string): string => String(Number(amount));
