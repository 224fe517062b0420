import type { Check } from "./check.ts";
import { problemsOf } from "./run-tool.ts";

export const types: Check = {
  name: "types",
  // Pages run in a browser, so they are checked separately.
  run: async () => [
    ...(await problemsOf("tsc", ["-p", "tsconfig.json"])),
    ...(await problemsOf("tsc", ["-p", "services/console/web/tsconfig.json"])),
  ],
};
