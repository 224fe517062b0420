import type { ResponseFormat } from "@uag/contract/requests/transcriptions";
import type { Transcript } from "@uag/providers/transcriptions/types";
import { srtOf, vttOf } from "./subtitles.ts";

const json = "application/json";
const text = "text/plain; charset=utf-8";

interface Rendering {
  readonly contentType: string;
  render(transcript: Transcript): Buffer;
}

const untouched: Rendering = { contentType: json, render: ({ body }) => body };

/** How a transcript is returned in each format. */
const renderings: Readonly<Record<ResponseFormat, Rendering>> = {
  json: untouched,
  verbose_json: untouched,
  diarized_json: untouched,
  text: { contentType: text, render: (transcript) => Buffer.from(`${transcript.text}\n`) },
  srt: { contentType: text, render: ({ fields }) => Buffer.from(srtOf(fields)) },
  vtt: { contentType: text, render: ({ fields }) => Buffer.from(vttOf(fields)) },
};

/** A transcript in the client's format. */
export function rendered(transcript: Transcript, format: ResponseFormat): { contentType: string; body: Buffer } {
  const { contentType, render } = renderings[format];
  return { contentType, body: render(transcript) };
}
