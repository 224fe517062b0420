import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { playable } from "./playable.ts";
import { installPython, run } from "./tool.ts";

/** The SDKs' versions. */
export const pythonVersions = { openai: "3.54.0", anthropic: "2.12.0", google: "3.6.1" };
const timeout = 300_000;

/**
 * The official Python SDKs of OpenAI, Anthropic and Google: text and tools in each format, then
 * every kind of media.
 */
export async function pythonSdks(dir: string, fleet: Fleet): Promise<void> {
  const venv = join(dir, "venv");
  const { openai, anthropic, google } = pythonVersions;
  await installPython(venv, [`openai==${openai}`, `anthropic==${anthropic}`, `google-genai==${google}`]);
  const runFile = join(fleet.dataDir, "run.json");
  const script = async (name: string, ...more: string[]): Promise<void> => {
    const args = [join(import.meta.dirname, name), runFile, ...more];
    process.stdout.write((await run(join(venv, "bin/python"), args, { timeout })).stdout);
  };
  await script("python_sdks.py");
  await script("python_google.py");
  await script("python_media.py", dir);
  await playable(join(dir, "speech.mp3"), "mp3");
  await playable(join(dir, "speech.wav"), "pcm_s16le");
}
