import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "../../services/fleet/src/service.ts";
import { installTimeoutMs, run } from "./tool.ts";

const version = "2.1.330";
/** A model of each protocol. */
const models = ["claude-sonnet-5-5", "claude-opus-5-5", "gpt-6.1-sol", "gemini-3.8-flash", "deepseek-flash"];

/** A turn with each model, in which it calls the shell: the file that the command writes is the proof. */
export async function claudeCode(dir: string, fleet: Fleet): Promise<void> {
  const name = `@anthropic-ai/claude-code@${version}`;
  await run("npm", ["install", "--prefix", dir, "--ignore-scripts", "--silent", name], { timeout: installTimeoutMs });
  const binary = join(dir, `node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`);
  for (const model of models) await turn({ dir, fleet, binary, model });
  // Tools are there and none is needed: it must end all the same.
  const { stdout } = await ask({ dir, fleet, binary, model: "claude-sonnet-4-5" }, ["-p", "say hello"]);
  if (!stdout.includes("hello")) throw new Error(`Claude Code was not answered: ${stdout}`);
  process.stdout.write(`Claude Code ${version}: a turn with a tool call with ${models.join(", ")}\n`);
}

interface Turn {
  readonly dir: string;
  readonly fleet: Fleet;
  readonly binary: string;
  readonly model: string;
}

async function turn(asked: Turn): Promise<void> {
  const { dir, model } = asked;
  const proof = join(dir, `proof-${model}`);
  const prompt = `call Bash {"command":"echo called > ${proof}","description":"Writes a file"}`;
  const { stdout } = await ask(asked, ["-p", prompt, "--allowedTools", "Bash"]);
  const written = await readFile(proof, "utf8").catch(() => "");
  if (written !== "called\n") throw new Error(`Claude Code did not run its tool with ${model}: ${stdout}`);
}

async function ask({ dir, fleet, binary, model }: Turn, args: readonly string[]): Promise<{ stdout: string }> {
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    ANTHROPIC_BASE_URL: fleet.run.base_url,
    ANTHROPIC_AUTH_TOKEN: fleet.run.api_key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-5-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const going = run(binary, [...args], { cwd: dir, env, timeout: 120_000 });
  going.child.stdin?.end();
  return await going;
}
