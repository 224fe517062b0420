// Fuzzes a running fleet by its OpenAPI documents: npm run fuzz -- --help
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRunningFleet } from "@uag/cli/commands/options";
import { pythonPackages } from "@uag/harness/fleet/python-packages";
import { fail } from "@uag/local/terminal/step";
import { documentNames, documents } from "@uag/router/docs/documents";
import { prepare } from "./prepare.ts";

const help = `npm run fuzz -- [--max-examples <n>] [--seed <n>] [--path <pattern>]

Sends the running fleet valid and invalid requests generated from its OpenAPI documents with schemathesis (downloaded from
PyPI if missing), and reports 5xx and undocumented responses. Requires python3.
`;

const version = "4.32.5";

async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
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
  const { base_url: baseUrl, admin } = await readRunningFleet();
  const folder = await pythonPackages(`schemathesis-${version}`, [`schemathesis==${version}`]);
  const setting = await prepare({ baseUrl, adminToken: admin.token });
  const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
  const args = ["--checks", checks];
  args.push("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", values["max-examples"]);
  args.push("--seed", values.seed, "--request-timeout", "60", "--continue-on-failure", "--no-color");
  args.push("--generation-database", "none");
  if (values.path !== undefined) args.push("--include-path-regex", values.path);
  const hooks = join(import.meta.dirname, "hooks.py");
  const env = { ...setting, FUZZ_ADMIN_TOKEN: admin.token, SCHEMATHESIS_HOOKS: hooks, PYTHONPATH: folder };
  let worst = 0;
  for (const name of documentNames)
    worst = Math.max(
      worst,
      await run("python3", [join(folder, "bin/schemathesis"), "run", baseUrl + documents[name].path, ...args], env),
    );
  return worst;
}

process.exit((await main().catch(fail)) ?? 1);
