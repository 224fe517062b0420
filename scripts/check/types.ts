import type { Check } from "./check.ts";
import { problemsOf } from "./run-tool.ts";

export const types: Check = {
  name: "types",
  run: () => problemsOf("tsc", ["-p", "tsconfig.json"]),
};
