import { join } from "node:path";
import type { Fleet } from "../../services/fleet/src/service.ts";
import { readSamples } from "../../services/fleet/src/testing/samples.ts";
import { playable } from "./playable.ts";
import { installPython, run } from "./tool.ts";

const versions = { openai: "3.54.0", anthropic: "2.12.0" };
const timeout = 300_000;

/** Every Python sample in the README and the guides runs as it stands and prints what it should. */
async function runSamples(python: string, { run: { api_key, base_url } }: Fleet): Promise<void> {
  const env = { ...process.env, API_KEY: api_key };
  const samples = (await readSamples(base_url)).filter(({ language }) => language === "python");
  for (const { at, code, expect } of samples) {
    const { stdout } = await run(python, ["-c", code], { timeout, env });
    if (!stdout.includes(expect)) throw new Error(`${at}: not '${expect}':\n${stdout}`);
  }
  process.stdout.write(`${samples.length} samples of the documents ran.\n`);
}

/**
 * The official Python SDKs of OpenAI and Anthropic: text and tools through both doors, then every
 * kind of media.
 */
export async function pythonSdks(dir: string, fleet: Fleet): Promise<void> {
  const venv = join(dir, "venv");
  await installPython(venv, [`openai==${versions.openai}`, `anthropic==${versions.anthropic}`]);
  const runFile = join(fleet.dataDir, "run.json");
  const script = async (name: string, ...more: string[]): Promise<void> => {
    const args = [join(import.meta.dirname, name), runFile, ...more];
    process.stdout.write((await run(join(venv, "bin/python"), args, { timeout })).stdout);
  };
  await runSamples(join(venv, "bin/python"), fleet);
  await script("python_sdks.py");
  await script("python_media.py", dir);
  await playable(join(dir, "speech.mp3"), "mp3");
  await playable(join(dir, "speech.wav"), "pcm_s16le");
}
