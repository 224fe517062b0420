import type { Check } from "./check.ts";
import { problemsOf } from "./run-tool.ts";

export const lint: Check = {
  name: "format and lint",
  run: ({ fix }) =>
    problemsOf("biome", ["check", "--error-on-warnings", "--max-diagnostics=50", ...(fix ? ["--write"] : [])]),
};
