import { print, UserError } from "@uag/local/terminal/step";
import type { AdminApi } from "../commands/admin-api.ts";
import type { Live } from "./live.ts";
import { type MappingFile, openMappingFile } from "./mapping-file.ts";
import type { Plan } from "./plan.ts";
import type { AccountOf, Step, Steps } from "./step.ts";
import { stepsOf } from "./steps.ts";

/** How an import is run. */
export interface ImportOptions {
  readonly api: AdminApi;
  readonly live: Live;
  readonly accountOf: AccountOf;
  /** Only shows the plan. */
  readonly planOnly: boolean;
  /** Where the new keys are written. */
  readonly mapping: string | undefined;
}

const countOf = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`;

function showNotes({ notes }: Plan, { present }: Steps): void {
  for (const text of present) print(`= ${text}`);
  for (const { what, why } of notes) print(`! ${what}: ${why}`);
}

/** Runs the steps in order; one that is refused does not stop the others. @returns how many were refused */
async function carryOut(steps: readonly Step[], run: Parameters<Step["run"]>[0]): Promise<number> {
  let refused = 0;
  for (const step of steps) {
    try {
      await step.run(run);
      print(`+ ${step.text}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refused++;
      print(`x ${step.text}: ${error.message}`);
    }
  }
  return refused;
}

async function mappingFor({ keys }: Plan, path: string | undefined): Promise<MappingFile> {
  if (path !== undefined) return await openMappingFile(path);
  if (keys.length > 0) throw new UserError("--mapping is missing: the file that the new keys are written to.");
  return {
    origins: new Set(),
    add: () => Promise.reject(new Error("no key is planned")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Notes keys that an interrupted import created, but did not write to the file. */
function noteLostSecrets({ keys, notes }: Plan, { imported }: Live, { origins }: MappingFile): void {
  for (const { origin, fields } of keys) {
    const id = imported.get(origin)?.id;
    if (id === undefined || origins.has(origin)) continue;
    const why = `Its secret is not in the mapping file. If it is in no other, replace it: npm run keys -- regenerate ${id}.`;
    notes.push({ what: `key ${fields.key_alias}`, why });
  }
}

/**
 * Shows a plan, or carries it out.
 * @returns the exit code: 1 if a step was refused
 */
export async function runImport(plan: Plan, options: ImportOptions): Promise<number> {
  const { api, live, accountOf, planOnly } = options;
  const all = stepsOf(plan, live, accountOf);
  const { steps, budgets } = all;
  const notes = countOf(plan.notes.length, "note");
  if (planOnly) {
    for (const { text } of steps) print(`+ ${text}`);
    showNotes(plan, all);
    print(`${countOf(steps.length, "change")} planned, ${all.present.length} present, ${notes}. Nothing was changed.`);
    return 0;
  }
  await using mapping = await mappingFor(plan, options.mapping);
  noteLostSecrets(plan, live, mapping);
  const refused = await carryOut(steps, { api, mapping, budgets });
  showNotes(plan, all);
  const done = `${countOf(steps.length - refused, "change")} made, ${all.present.length} present, ${notes}`;
  print(refused === 0 ? `${done}.` : `${done}, ${refused} refused.`);
  return refused === 0 ? 0 : 1;
}
