import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "../../services/fleet/src/service.ts";
import { installTimeoutMs, run } from "./tool.ts";

const version = "2.1.197";

/** One turn in which the model calls the shell: the file that the command writes is the proof. */
export async function claudeCode(dir: string, fleet: Fleet): Promise<void> {
  const name = `@anthropic-ai/claude-code@${version}`;
  await run("npm", ["install", "--prefix", dir, "--ignore-scripts", "--silent", name], { timeout: installTimeoutMs });
  const binary = join(dir, `node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`);
  const proof = join(dir, "proof");
  const prompt = `call Bash {"command":"echo called > ${proof}","description":"Writes a file"}`;
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    ANTHROPIC_BASE_URL: fleet.run.base_url,
    ANTHROPIC_AUTH_TOKEN: fleet.run.api_key,
    ANTHROPIC_MODEL: "claude-sonnet-4-6",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-4-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const going = run(binary, ["-p", prompt, "--allowedTools", "Bash"], { cwd: dir, env, timeout: 120_000 });
  going.child.stdin?.end();
  const { stdout } = await going;
  if ((await readFile(proof, "utf8")) !== "called\n") throw new Error(`Claude Code did not run its tool: ${stdout}`);
  process.stdout.write(`Claude Code ${version}: a turn with a tool call\n`);
}
