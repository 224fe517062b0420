import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { installPython, installTimeoutMs, run } from "./tool.ts";

const packages = [
  "langchain@1.5.14",
  "@langchain/openai@1.5.8",
  "@langchain/anthropic@1.5.11",
  "@openai/agents@0.20.0",
  "openai@6.49.0",
  "zod@4.6.7",
];
const llmVersion = "0.36";
const timeout = 300_000;
/** A model of each provider. */
const models = [
  "gpt-4o-mini",
  "claude-sonnet-4-5",
  "claude-opus-5-5",
  "gemini-3.8-flash",
  "qwen3.8-flash",
  "grok-4.7",
  "deepseek-flash",
  "kimi-k3",
];

/**
 * Agents of LangChain and of OpenAI's Agents SDK: each calls its tool and finishes within a few
 * turns, with models of any vendor.
 */
export async function javascriptAgents(dir: string, fleet: Fleet): Promise<void> {
  const place = join(dir, "agents");
  const install = ["install", "--prefix", place, "--ignore-scripts", "--silent", ...packages];
  await run("npm", install, { timeout: installTimeoutMs });
  const script = join(import.meta.dirname, "javascript-agents.mjs");
  const args = [script, join(fleet.dataDir, "run.json"), join(place, "package.json"), ...models];
  process.stdout.write((await run(process.execPath, args, { timeout })).stdout);
}

/** The `llm` command of PyPI: streamed text, a response by a schema, and a tool call. */
export async function llmCommand(dir: string, fleet: Fleet): Promise<void> {
  const venv = join(dir, "llm");
  await installPython(venv, [`llm==${llmVersion}`]);
  const home = join(dir, "llm-home");
  await mkdir(home);
  const { api_key: key, base_url } = fleet.run;
  const shared = { api_base: `${base_url}/v1`, api_key_name: "gateway", supports_tools: true, supports_schema: true };
  // YAML takes JSON.
  const listed = models.map((model) => ({ model_id: `gw-${model}`, model_name: model, ...shared }));
  await writeFile(join(home, "extra-openai-models.yaml"), JSON.stringify(listed));
  const env = { ...process.env, LLM_USER_PATH: home };
  for (const model of models) {
    const call = async (...args: string[]): Promise<string> => {
      const going = run(join(venv, "bin/llm"), ["-m", `gw-${model}`, "--key", key, ...args], { env, timeout: 60_000 });
      going.child.stdin?.end();
      return (await going).stdout.trim();
    };
    const reported = await call("say: hi");
    const shaped = JSON.parse(await call("--no-stream", "--schema", "name,age int", "A person.")) as { age?: unknown };
    const multiply = 'def multiply(x: int, y: int) -> int:\n    "Multiplies"\n    return x * y';
    const counted = await call("--functions", multiply, 'call multiply {"x":6,"y":7}');
    if (reported !== "hi" || typeof shaped.age !== "number" || !counted.includes("42"))
      throw new Error(`llm with ${model}: ${JSON.stringify({ reported, shaped, counted })}`);
  }
  process.stdout.write(`llm ${llmVersion}: text, a schema and a tool with ${models.join(", ")}\n`);
}
