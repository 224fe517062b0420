import { z } from "zod";
import { steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../http/types.ts";
import { speechPcm, speechSeconds } from "../media/speech.ts";
import { mediaUrl, traitsOf } from "../media/url.ts";
import type { Usage } from "../usage.ts";
import { invalidParameter, requestIdFields } from "./protocol.ts";
import { chargedCharacters, voicesOf } from "./voices.ts";
import { nativeWording } from "./wording.ts";

const max = 600;
const pieceBytes = 24_000;
const languages = [
  "Auto",
  "Chinese",
  "English",
  "German",
  "Italian",
  "Portuguese",
  "Spanish",
  "Japanese",
  "Korean",
  "French",
  "Russian",
];

const schema = z.looseObject({
  model: z.string(),
  input: z.strictObject({
    text: z.string(),
    voice: z.string().optional(),
    language_type: z.enum(languages).optional(),
    instructions: z.string().optional(),
    optimize_instructions: z.boolean().optional(),
  }),
  parameters: z.looseObject({}).optional(),
});
type Input = z.infer<typeof schema>["input"];

function checked(call: Call): Input {
  const parsed = schema.safeParse(call.body);
  if (!parsed.success) throw invalidParameter(nativeWording(parsed.error, call.body));
  const { input, parameters } = parsed.data;
  const isInstruct = call.model?.includes("instruct") === true;
  if (parameters !== undefined && "language_type" in parameters) {
    throw invalidParameter("parameters.language_type is not supported, it belongs in input.");
  }
  if (input.voice === undefined || input.voice === "") throw invalidParameter("The voice property is required.");
  if (!voicesOf(call.model ?? "").includes(input.voice))
    throw invalidParameter(`Voice '${input.voice}' is not supported.`);
  if (input.text.trim() === "") throw invalidParameter("Range of input length should be [1, 600]");
  if (chargedCharacters(input.text) > max) throw invalidParameter("Range of input length should be [1, 600]");
  if (input.instructions !== undefined && !isInstruct) {
    throw invalidParameter("The instructions parameter is not supported by this model.");
  }
  const isBlocked = steeringOf(input.text).blocked || call.faults.moderation !== undefined;
  if (isBlocked) throw invalidParameter("Input data may contain inappropriate content.", "DataInspectionFailed");
  return input;
}

function* eventsOf(
  call: Call,
  options: { seconds: number; last: object; usage: Usage | undefined },
): Generator<StreamEvent> {
  const { seconds, last, usage } = options;
  const pcm = call.faults["speech-url"] === undefined ? speechPcm(call.digest, seconds) : Buffer.alloc(0);
  const reported = usage === undefined ? {} : { usage };
  let id = 0;
  const event = (output: object): StreamEvent => ({
    id: ++id,
    event: "result",
    httpStatus: 200,
    data: JSON.stringify({ output, ...reported }),
    requestIdFields,
    usage,
  });
  for (let at = 0; at < pcm.length; at += pieceBytes) {
    const data = pcm.subarray(at, at + pieceBytes).toString("base64");
    yield event({ finish_reason: "null", audio: { ...last, data, url: undefined } });
  }
  yield event({ finish_reason: "stop", audio: { ...last, data: "" } });
}

/**
 * A speech model's response at the multimodal generation endpoint; streamed if requested by
 * `X-DashScope-SSE: enable`.
 */
export function qwenSpeech(call: Call): Reply {
  const input = checked(call);
  const characters = chargedCharacters(input.text);
  const seconds = speechSeconds(characters);
  const traits = traitsOf(call);
  const unsized = call.faults["wav-unsized"] !== undefined;
  const url = mediaUrl({ kind: "speech", digest: call.digest, seconds, unsized }, traits);
  const trueUsage = { input_tokens: 0, output_tokens: 0, characters };
  const usage = reportedUsage(trueUsage, call.faults);
  const units = { characters, seconds };
  const audio = { url, id: call.newId("audio_"), expires_at: traits.expires };
  if (call.headers["x-dashscope-sse"] === "enable") {
    return {
      type: "events",
      framing: "tight",
      events: eventsOf(call, { seconds, last: audio, usage }),
      trueUsage,
      units,
    };
  }
  const output = { text: null, finish_reason: "stop", choices: null, audio: { data: "", ...audio } };
  const body = { status_code: 200, code: "", message: "", output, ...(usage !== undefined && { usage }) };
  return { type: "json", status: 200, body, usage, trueUsage, units, requestIdFields };
}
