import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { binDir } from "@uag/local/paths";
import { withLock } from "@uag/local/terminal/lock";
import { step, UserError } from "@uag/local/terminal/step";
import { exists } from "../charts/go.ts";

export type Program = "prometheus" | "promtool";

const root = join(binDir, "prometheus");
const wanted = "Install Prometheus (prometheus and promtool in PATH), then run the command again.";

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(command, args, { cwd }).catch(() => ({ code: 1, output: "" }));
  if (code !== 0) throw new UserError(`${command} ${args[0]} failed. ${wanted}\n${output.trim()}`);
}

/** Unpacks Debian's package without installing it, which does not require root. */
async function fetchPackage(): Promise<void> {
  await run("apt-get", ["download", "prometheus"], root);
  await run("sh", ["-c", "dpkg-deb --extract prometheus_*.deb ."], root);
}

/**
 * The path of a Prometheus program: this machine's own, else Debian's.
 * @throws {UserError} if neither exists
 */
export async function findProgram(name: Program): Promise<string> {
  const own = await runTool(name, ["--version"]).catch(() => undefined);
  if (own?.code === 0) return name;
  const file = join(root, "usr/bin", name);
  await mkdir(root, { recursive: true });
  await withLock(`${root}.lock`, async () => {
    if (!(await exists(file))) await step("Fetching Debian's prometheus", fetchPackage);
  });
  return file;
}
