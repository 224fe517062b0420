import { stat } from "node:fs/promises";
import { UserError } from "@uag/local/terminal/step";
import { run } from "./tool.ts";

interface Probed {
  readonly streams: readonly { codec_name: string; sample_rate: string; channels: number }[];
  readonly packets: readonly { duration_time?: string }[];
}

/**
 * Decodes an audio file completely with FFmpeg.
 * @throws {Error} if it has another codec, or does not decode cleanly
 */
export async function playable(file: string, codec: string): Promise<void> {
  const show = ["-show_entries", "stream=codec_name,sample_rate,channels:packet=duration_time", "-of", "json"];
  const { stdout } = await ffmpeg("ffprobe", ["-v", "error", ...show, file]);
  const { streams, packets } = JSON.parse(stdout) as Probed;
  const [stream, more] = streams;
  const seconds = packets.reduce((sum, { duration_time = "0" }) => sum + Number(duration_time), 0);
  const fit = stream?.codec_name === codec && stream.sample_rate === "24000" && stream.channels === 1;
  if (!fit || more !== undefined || seconds < 1) throw new Error(`${file} is not the expected audio: ${stdout}`);
  const { stderr } = await ffmpeg("ffmpeg", ["-v", "error", "-i", file, "-f", "null", "-"]);
  if (stderr !== "") throw new Error(`${file} does not decode cleanly: ${stderr}`);
  const { size } = await stat(file);
  process.stdout.write(`  ffprobe: ${codec}, ${seconds.toFixed(2)} s, ${size} bytes, decodes to its end\n`);
}

async function ffmpeg(program: string, args: string[]): Promise<{ stdout: string; stderr: string }> {
  try {
    return await run(program, args, { maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new UserError("FFmpeg is needed to check the audio files: install the package ffmpeg.");
  }
}
