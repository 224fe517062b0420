import { spawn } from "node:child_process";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot } from "@uag/local/paths";
import { UserError } from "@uag/local/terminal/step";
import { built, type Program } from "../charts/api-server/programs.ts";
import type { Docker } from "../image/docker/engine.ts";

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
    async run(...args) {
      const all = [...first, "--progress=plain", "--project-name", project, "--file", file, ...args];
      const child = spawn(command, all, { env, stdio: ["ignore", "pipe", "pipe"] });
      let [output, errors] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk;
      });
      child.stderr.on("data", (chunk: Buffer) => {
        errors += chunk;
      });
      const code = await new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
      });
      if (code === 0) return output;
      throw new UserError(`docker compose ${args.join(" ")} failed:\n${`${output}${errors}`.trim()}`);
    },
  };
}
