import { rejectOpenAi } from "../openai/protocol.ts";

/** A model that transcribes. */
export interface TranscriptionModel {
  readonly id: string;
  readonly formats: readonly string[];
  readonly streams: boolean;
  /** Also serves translations (OpenAI's reference, create translation). */
  readonly translates?: boolean;
  readonly maxSeconds?: number;
  /** Of audio; undefined for a model that is billed by length. */
  readonly tokensPerSecond?: number;
}

const whisper = { formats: ["json", "text", "srt", "verbose_json", "vtt"], streams: false, translates: true };
const gpt4o = { formats: ["json"], streams: true, maxSeconds: 1_500, tokensPerSecond: 10 };

const models: readonly TranscriptionModel[] = [
  { id: "whisper-1", ...whisper },
  { id: "gpt-4o-transcribe", ...gpt4o },
  { id: "gpt-4o-mini-transcribe", ...gpt4o },
  { id: "gpt-transcribe", formats: ["json", "text"], streams: true },
];

/** The model, also under the id of a dated snapshot. */
export function transcriptionModelOf(id: string): TranscriptionModel {
  const model = models.find((each) => each.id === id.replace(/-\d{4}-\d{2}-\d{2}$/, ""));
  if (model !== undefined) return model;
  const message = `The model \`${id}\` does not exist or you do not have access to it.`;
  throw rejectOpenAi({ status: 404, message, code: "model_not_found" });
}
