import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { installTimeoutMs, run } from "./tool.ts";

const version = "0.61.0";
/** A model of each protocol. */
const models = ["gemini-3.8-flash", "claude-sonnet-5-5", "gpt-5"];

const settings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true },
};

/**
 * Runs a turn of Gemini CLI with each model, in which it calls the shell; the file that the command
 * writes proves the call.
 */
export async function geminiCli(dir: string, fleet: Fleet): Promise<void> {
  const place = join(dir, "gemini-cli");
  const name = `@google/gemini-cli@${version}`;
  await run("npm", ["install", "--prefix", place, "--ignore-scripts", "--silent", name], { timeout: installTimeoutMs });
  await mkdir(join(place, ".gemini"));
  await writeFile(join(place, ".gemini/settings.json"), JSON.stringify(settings));
  const env = {
    PATH: process.env["PATH"],
    HOME: place,
    GEMINI_API_KEY: fleet.run.api_key,
    GOOGLE_GEMINI_BASE_URL: fleet.run.base_url,
  };
  for (const model of models) {
    const proof = join(place, `proof-${model}`);
    const prompt = `call run_shell_command ${JSON.stringify({ command: `echo called > ${proof}` })}`;
    const options = ["--model", model, "--approval-mode", "yolo", "--skip-trust", "--prompt", prompt];
    const going = run(join(place, "node_modules/.bin/gemini"), options, { cwd: place, env, timeout: 120_000 });
    going.child.stdin?.end();
    const { stdout, stderr } = await going;
    const written = await readFile(proof, "utf8").catch(() => "");
    if (written !== "called\n") throw new Error(`Gemini CLI did not run its tool with ${model}: ${stdout}${stderr}`);
  }
  process.stdout.write(`Gemini CLI ${version}: a turn with a tool call with ${models.join(", ")}\n`);
}
