import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { installTimeoutMs, run } from "./tool.ts";

const version = "0.169.0";
/** A model of each protocol. */
const models = ["gpt-5", "claude-sonnet-5-5", "gemini-3.8-flash", "deepseek-flash"];

/** The settings of the console's snippet. */
const configOf = (baseUrl: string): string => `model_provider = "gateway"
web_search = "disabled"

[model_providers.gateway]
name = "Gateway"
base_url = "${baseUrl}/v1"
env_key = "API_KEY"
wire_api = "responses"
`;

/**
 * Runs a turn of Codex with each model, in which it calls the shell; the file that the command
 * writes proves the call.
 */
export async function codex(dir: string, fleet: Fleet): Promise<void> {
  const place = join(dir, "codex");
  const name = `@openai/codex@${version}`;
  await run("npm", ["install", "--prefix", place, "--ignore-scripts", "--silent", name], { timeout: installTimeoutMs });
  const home = join(place, "home");
  await mkdir(home);
  await writeFile(join(home, "config.toml"), configOf(fleet.run.base_url));
  const env = { PATH: process.env["PATH"], HOME: place, CODEX_HOME: home, API_KEY: fleet.run.api_key };
  for (const model of models) {
    const proof = join(place, `proof-${model}`);
    const prompt = `call exec_command ${JSON.stringify({ cmd: `echo called > ${proof}` })}`;
    const options = ["--model", model, "--skip-git-repo-check", "--sandbox", "danger-full-access"];
    const going = run(join(place, "node_modules/.bin/codex"), ["exec", ...options, prompt], {
      cwd: place,
      env,
      timeout: 120_000,
    });
    going.child.stdin?.end();
    const { stdout, stderr } = await going;
    const written = await readFile(proof, "utf8").catch(() => "");
    if (written !== "called\n") throw new Error(`Codex did not run its tool with ${model}: ${stdout}${stderr}`);
  }
  process.stdout.write(`Codex ${version}: a turn with a tool call with ${models.join(", ")}\n`);
}
