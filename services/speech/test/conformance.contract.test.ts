import type { ServerResponse } from "node:http";
import { conformance } from "@uag/harness/conformance";
import { audioForm, formType, wav } from "../src/transcription/testing/audio-files.ts";
import { catalog, startSpeech } from "./support.ts";
import { delta, type StreamedWire, seconds, speechWire, tokens, transcriptWire } from "./wires.ts";

const begin = (response: ServerResponse): void => void response.writeHead(200, { "content-type": "text/event-stream" });
const streamed =
  ({ events, usage }: StreamedWire) =>
  (response: ServerResponse): void => {
    begin(response);
    response.end(events(usage).join(""));
  };
const whole =
  ({ whole: body, usage }: StreamedWire) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(body(usage));
  };
const errorWithUsage = ({ error, usage }: StreamedWire): object => JSON.parse(error({ usage })) as object;

const speech = (format: string) => ({
  operation: "audio.speech",
  body: { model: "voice", input: "Hello", voice: "Cherry", response_format: format },
  respond: streamed(speechWire),
  errorWithUsage: errorWithUsage(speechWire),
});
const byTokens = transcriptWire(tokens);
const bySeconds = transcriptWire(seconds);
const transcript = (wire: StreamedWire, ...fields: [name: string, value: string][]) => ({
  operation: "audio.transcriptions",
  headers: ["content-type", formType],
  body: audioForm(wav(3), fields),
  respond: whole(wire),
  errorWithUsage: errorWithUsage(wire),
});

conformance({
  file: import.meta.filename,
  start: (url, parts) => startSpeech({ catalog: catalog(url), ...parts }),
  cases: [
    {
      ...speech("mp3"),
      name: "streamed MP3 speech",
      stream: { begin, piece: speechWire.events(speechWire.usage)[0] as string },
    },
    { ...speech("wav"), name: "WAV speech" },
    { ...transcript(bySeconds, ["model", "seconds"]), name: "a transcript that is billed by seconds" },
    { ...transcript(byTokens, ["model", "tokens"]), name: "a transcript that is billed by tokens" },
    {
      ...transcript(byTokens, ["model", "tokens"], ["stream", "true"]),
      name: "a streamed transcript",
      respond: streamed(byTokens),
      stream: { begin, piece: delta("Hello ".repeat(1_500)) },
    },
    { ...transcript(bySeconds, ["model", "seconds"], ["response_format", "srt"]), name: "subtitles" },
    {
      ...transcript(bySeconds, ["model", "seconds"]),
      operation: "audio.translations",
      name: "a translation of audio",
    },
  ],
});
