import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { installTimeoutMs, run } from "./tool.ts";

const version = "2.1.330";
/** A model of each protocol. */
const models = ["claude-sonnet-5-5", "claude-opus-5-5", "gpt-6.1-sol", "gemini-3.8-flash", "deepseek-flash"];

/**
 * Runs a turn with each model, in which it calls the shell; the file that the command writes proves
 * the call.
 */
export async function claudeCode(dir: string, fleet: Fleet): Promise<void> {
  const name = `@anthropic-ai/claude-code@${version}`;
  await run("npm", ["install", "--prefix", dir, "--ignore-scripts", "--silent", name], { timeout: installTimeoutMs });
  const binary = join(dir, `node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`);
  for (const model of models) await turn({ dir, fleet, binary, model });
  // Tools are available but not needed, so the turn must end without a call.
  const { stdout } = await call({ dir, fleet, binary, model: "claude-sonnet-4-5" }, ["-p", "say hello"]);
  if (!stdout.includes("hello")) throw new Error(`Claude Code got no response: ${stdout}`);
  process.stdout.write(`Claude Code ${version}: a turn with a tool call with ${models.join(", ")}\n`);
  await mcpTools({ dir, fleet, binary, model: "claude-sonnet-5-5" });
}

/** Tools of the gateway's MCP server, and the expected contents of their results. */
const mcpCalls = [
  ["list_models", { search: "gpt-4o-mini" }, "input_tokens"],
  ["chat", { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] }, "built-in simulator"],
  ["get_quota", {}, "left_usd"],
] as const;

/** Adds the MCP server as the README describes, and makes a model call its tools. */
async function mcpTools(turn: Turn): Promise<void> {
  const { mcp_url, api_key } = turn.fleet.run;
  const header = `Authorization: Bearer ${api_key}`;
  await call(turn, ["mcp", "add", "--transport", "http", "gateway", mcp_url, "--header", header]);
  for (const [tool, args, expected] of mcpCalls) {
    const name = `mcp__gateway__${tool}`;
    const prompt = `call ${name} ${JSON.stringify(args)}`;
    const shown = ["--output-format", "stream-json", "--verbose"];
    const { stdout } = await call(turn, ["-p", prompt, "--allowedTools", name, ...shown]);
    const result = stdout.split("\n").find((line) => line.includes('"tool_result"'));
    if (!result?.includes(expected)) throw new Error(`Claude Code did not call ${name}: ${stdout}`);
  }
  process.stdout.write(`Claude Code ${version}: MCP tools ${mcpCalls.map(([tool]) => tool).join(", ")}\n`);
}

interface Turn {
  readonly dir: string;
  readonly fleet: Fleet;
  readonly binary: string;
  readonly model: string;
}

async function turn(requested: Turn): Promise<void> {
  const { dir, model } = requested;
  const proof = join(dir, `proof-${model}`);
  const prompt = `call Bash {"command":"echo called > ${proof}","description":"Writes a file"}`;
  const { stdout } = await call(requested, ["-p", prompt, "--allowedTools", "Bash"]);
  const written = await readFile(proof, "utf8").catch(() => "");
  if (written !== "called\n") throw new Error(`Claude Code did not run its tool with ${model}: ${stdout}`);
}

async function call({ dir, fleet, binary, model }: Turn, args: readonly string[]): Promise<{ stdout: string }> {
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    ANTHROPIC_BASE_URL: fleet.run.base_url,
    ANTHROPIC_AUTH_TOKEN: fleet.run.api_key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-5-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Otherwise a model must search for MCP's tools before it may call them.
    ENABLE_TOOL_SEARCH: "false",
  };
  const going = run(binary, [...args], { cwd: dir, env, timeout: 120_000 });
  going.child.stdin?.end();
  return await going;
}
