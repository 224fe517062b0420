import { UserError } from "@uag/local/terminal/step";
import type { SpendLog } from "./compare/entry.ts";
import type { Live } from "./live.ts";
import type { Plan } from "./plan.ts";

/** The files of another gateway, as options of the command. */
export interface Files {
  /** Its database, or a folder with what its API returned. */
  readonly dump?: string | undefined;
  /** Its configuration file. */
  readonly config?: string | undefined;
}

/** From the first to before the last, Unix milliseconds. */
export type Period = Readonly<Record<"fromMs" | "untilMs", number>>;

/** Another gateway that `npm run import` reads: a folder beside this file, and a row in `sources.ts`. */
export interface Source {
  /** Its options, for `--help`. */
  readonly help: string;
  /** Whether its log has a row for each request, or only the sums of each day (UTC) and model. */
  readonly logs: "requests" | "days";
  /** What it has, in terms of this gateway. @throws {UserError} for files that are not its own */
  plan(files: Files, live: Live): Promise<Plan>;
  /** What it billed in a period. @throws {UserError} for files that are not its own */
  spendLog(files: Files, live: Live, period: Period): Promise<SpendLog>;
}

/** The option `--dump`. @throws {UserError} without it */
export function neededDump(dump: string | undefined): string {
  if (dump === undefined) throw new UserError("--dump is missing.");
  return dump;
}
