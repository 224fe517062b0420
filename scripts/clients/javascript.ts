import { createWriteStream } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Fleet } from "@uag/local/service";
import { playable } from "./playable.ts";
import { installTimeoutMs, run } from "./tool.ts";

const version = "6.49.0";

/** The used part of the SDK, which is installed only when this runs. */
interface Speaker {
  readonly audio: { speech: { create(body: object): Promise<{ body: ReadableStream<Uint8Array> }> } };
}
interface SdkOf<T> {
  OpenAI: new (options: { apiKey: string; baseURL: string; maxRetries: number }) => T;
}

/**
 * Writes speech to files with OpenAI's SDK for JavaScript, as it arrives. Its other media calls are
 * in the test suite.
 */
export async function javascriptSpeech(dir: string, fleet: Fleet): Promise<void> {
  const place = join(dir, "sdk");
  const install = ["install", "--prefix", place, "--ignore-scripts", "--silent", `openai@${version}`];
  await run("npm", install, { timeout: installTimeoutMs });
  const { OpenAI } = createRequire(join(place, "package.json"))("openai") as SdkOf<Speaker>;
  const { api_key: apiKey, base_url } = fleet.run;
  const openai = new OpenAI({ apiKey, baseURL: `${base_url}/v1`, maxRetries: 0 });
  const input = "The gateway reads this aloud. 你好，世界！".repeat(30);
  for (const [format, codec] of [
    ["mp3", "mp3"],
    ["wav", "pcm_s16le"],
  ] as const) {
    const body = { model: "alpha3-tts-flash", voice: "alloy", input, response_format: format };
    const response = await openai.audio.speech.create(body);
    const file = join(dir, `javascript.${format}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    await playable(file, codec);
  }
  process.stdout.write(`openai ${version} for JavaScript: speech to files\n`);
}
