import { z } from "zod";
import { hashOf } from "../content/hash.ts";
import { countTokens } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { speechWav } from "../media/file.ts";
import { mp3Of, speechPcm, speechSeconds } from "../media/speech.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import type { Usage } from "../usage.ts";
import { wrongBody } from "./image-checks.ts";

const models = ["tts-1", "tts-1-hd", "gpt-4o-mini-tts"];
const voices = "alloy,ash,ballad,coral,echo,fable,onyx,nova,sage,shimmer,verse,marin,cedar".split(",");
const contentTypes = { mp3: "audio/mpeg", wav: "audio/wav", pcm: "audio/pcm" } as const;
const tokensPerSecond = 20;
const pieceBytes = 16_384;

const schema = z.looseObject({
  model: z.string(),
  input: z.string().min(1).max(4096),
  voice: z.union([z.enum(voices), z.strictObject({ id: z.string() })]),
  instructions: z.string().optional(),
  response_format: z.enum(["mp3", "opus", "aac", "flac", "wav", "pcm"]).optional(),
  speed: z.number().min(0.25).max(4).optional(),
  stream_format: z.enum(["audio", "sse"]).optional(),
});

function* eventsOf(sound: Buffer, usage: Usage | undefined): Generator<StreamEvent> {
  for (let at = 0; at < sound.length; at += pieceBytes) {
    const audio = sound.subarray(at, at + pieceBytes).toString("base64");
    yield { data: JSON.stringify({ type: "speech.audio.delta", audio }) };
  }
  const reported = usage === undefined ? {} : { usage };
  yield { data: JSON.stringify({ type: "speech.audio.done", ...reported }), ...reported };
}

async function soundOf(call: Call, format: keyof typeof contentTypes, seconds: number): Promise<Buffer> {
  const digest = hashOf(call.digest);
  if (format === "wav") return speechWav(digest, seconds, call.faults["wav-unsized"] !== undefined);
  const pcm = speechPcm(digest, seconds);
  return format === "mp3" ? mp3Of(pcm) : pcm;
}

/** `POST /v1/audio/speech`; MP3, WAV and PCM. */
export async function openAiSpeech(call: Call): Promise<Reply> {
  const parsed = schema.safeParse(call.body);
  if (!parsed.success) throw wrongBody(parsed.error, call.body);
  const { input, response_format: format = "mp3", speed = 1, stream_format: stream, instructions } = parsed.data;
  const model = (call.model ?? "").replace(/-\d{4}-\d{2}-\d{2}$/, "");
  if (!models.includes(model)) {
    const message = `The model \`${call.model}\` does not exist or you do not have access to it.`;
    throw rejectOpenAi({ status: 404, message, code: "model_not_found" });
  }
  const isFirst = model.startsWith("tts-1");
  if (isFirst && (stream === "sse" || instructions !== undefined)) {
    const param = stream === "sse" ? "stream_format" : "instructions";
    const message = `The '${param}' parameter is not supported with this model.`;
    throw rejectOpenAi({ status: 400, message, param, code: "unsupported_parameter" });
  }
  if (format !== "mp3" && format !== "wav" && format !== "pcm") {
    const message = `The simulator does not support the format ${format}.`;
    throw rejectOpenAi({ status: 400, message, param: "response_format", code: "unsupported_value" });
  }
  const characters = [...input].length;
  const seconds = Math.round((1000 * speechSeconds(characters)) / speed) / 1000;
  const [inputTokens, outputTokens] = [countTokens(input), Math.ceil(seconds * tokensPerSecond)];
  const tokens = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  const units = { characters, seconds };
  const bytes = await soundOf(call, format, seconds);
  if (stream !== "sse") {
    return { type: "bytes", status: 200, contentType: contentTypes[format], bytes, trueUsage: tokens, units };
  }
  const usage = reportedUsage(tokens, call.faults);
  return { type: "events", framing: "sse", events: eventsOf(bytes, usage), trueUsage: tokens, units };
}
