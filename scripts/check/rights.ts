import { rightsProblems } from "@uag/e2e/console/rights-problems";
import type { Check } from "./check.ts";

/** Checks that the table of rights has a row for each writable field of the admin API and of the console's own. */
export const rights: Check = {
  name: "table of rights",
  run: async () => rightsProblems().map((problem) => `${problem}; edit services/dev/e2e/test/console/field-rights.ts`),
};
