// Fuzzes a running fleet by its OpenAPI document: node scripts/run.mjs scripts/fuzz/openapi.ts --help
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRunningFleet } from "../../services/fleet/src/commands/options.ts";
import { binDir } from "../../services/fleet/src/paths.ts";
import { fail } from "../lib/step.mjs";

const help = `node scripts/run.mjs scripts/fuzz/openapi.ts [--max-examples <n>] [--seed <n>] [--path <pattern>]

Sends the running fleet what its OpenAPI document allows and what it does not, by schemathesis (fetched from PyPI when it is
not there), and looks for 5xx and for answers that the document does not have. Needs python3.
`;

const version = "4.32.5";
const venv = join(binDir, `schemathesis-${version}`);
const program = join(venv, "bin/schemathesis");

async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

async function install(): Promise<void> {
  const there = await access(program).then(
    () => true,
    () => false,
  );
  if (there) return;
  const steps = [
    ["python3", "-m", "venv", venv],
    [join(venv, "bin/pip"), "install", "--quiet", `schemathesis==${version}`],
  ] as const;
  for (const [command, ...args] of steps)
    if ((await run(command, args)) !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

async function modelsOf(baseUrl: string, apiKey: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "max-examples": { type: "string", default: "20" },
      seed: { type: "string", default: "1" },
      path: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const { base_url: baseUrl, api_key: apiKey } = await readRunningFleet();
  await install();
  const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
  const args = ["run", `${baseUrl}/openapi.json`, "--checks", checks, "--phases", "examples,coverage,fuzzing"];
  args.push("--header", `Authorization: Bearer ${apiKey}`, "--max-examples", values["max-examples"]);
  args.push("--seed", values.seed, "--request-timeout", "60", "--continue-on-failure", "--no-color");
  args.push("--generation-database", "none");
  if (values.path !== undefined) args.push("--include-path-regex", values.path);
  const models = JSON.stringify(await modelsOf(baseUrl, apiKey));
  const hooks = join(import.meta.dirname, "hooks.py");
  return await run(program, args, { FUZZ_MODELS: models, SCHEMATHESIS_HOOKS: hooks });
}

process.exit((await main().catch(fail)) ?? 1);
