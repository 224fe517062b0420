import { execFile } from "node:child_process";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import type { Run } from "@uag/local/run-file";

const program = join(repoRoot, "services/dev/cli/src/uag.ts");

/** A file of this folder. */
export const fixture = (name: string): string => join(import.meta.dirname, name);

/** What a command wrote, and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm run import` on a fleet, as an operator elsewhere does. */
export function runImport(
  { admin_url: url, admin }: Pick<Run, "admin_url" | "admin">,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const env = { PATH: process.env["PATH"], ADMIN_TOKEN: admin.token, DATA_DIR: "/nonexistent", ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, "--admin-url", url, "import", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}
