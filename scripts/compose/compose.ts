import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot } from "@uag/local/paths";
import { built, type Program } from "../charts/api-server/programs.ts";
import type { Docker } from "../image/docker/engine.ts";
import { outputOf } from "../image/docker/output.ts";

const version = "v2.40.3";

const program: Program = {
  module: "github.com/docker/compose/v2",
  version,
  main: "github.com/docker/compose/v2/cmd",
  name: "docker-compose",
  linkerFlags: `-X github.com/docker/compose/v2/internal.Version=${version}`,
};

/** Compose with the project of the test. */
export interface Compose {
  /**
   * Runs a command of Compose and returns its standard output.
   * @throws {UserError} with all its output if it fails
   */
  run(...args: readonly string[]): Promise<string>;
}

/** The command of Docker's plugin, or of one built from its Go module, once, which takes minutes. */
async function commandOf(docker: Docker): Promise<readonly [string, ...string[]]> {
  if ((await runTool(docker.program, ["compose", "version"])).code === 0) return [docker.program, "compose"];
  return [await built(program)];
}

/**
 * Compose for a project of `infra/compose.yaml`.
 * @param settings the variables of the file; providers' keys in the environment are not used
 */
export async function findCompose(
  docker: Docker,
  project: string,
  settings: Readonly<Record<string, string>>,
): Promise<Compose> {
  const [command, ...first] = await commandOf(docker);
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|(?:DOCKER|SSL)_\w+|\w+_IMAGE)$/.test(name));
  const env = { ...Object.fromEntries(kept), ...settings };
  const file = join(repoRoot, "infra/compose.yaml");
  return {
    run(...args) {
      const all = [...first, "--progress=plain", "--project-name", project, "--file", file, ...args];
      return outputOf(command, all, { name: `docker compose ${args.join(" ")}`, env });
    },
  };
}
