import { type Fields, fieldsOf, listOf, numberOf, textOf } from "@uag/providers/conversation/fields";

/** A part of a transcript and when it is spoken, seconds. */
interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The segments of a transcript in the format `verbose_json`. */
function segmentsOf({ segments }: Fields): Segment[] {
  return listOf(segments).map((item) => {
    const { start, end, text } = fieldsOf(item);
    // An arrow within a text would end its cue in WebVTT; Whisper replaces it too.
    return {
      start: numberOf(start) ?? 0,
      end: numberOf(end) ?? 0,
      text: (textOf(text) ?? "").trim().replaceAll("-->", "->"),
    };
  });
}

/** SubRip, as Whisper writes it. */
export function srtOf(fields: Fields): string {
  return segmentsOf(fields)
    .map(({ start, end, text }, index) => `${index + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${text}\n\n`)
    .join("");
}

/** WebVTT, as OpenAI returns it: with hours in every time. */
export function vttOf(fields: Fields): string {
  const cues = segmentsOf(fields).map(
    ({ start, end, text }) => `${clock(start, ".")} --> ${clock(end, ".")}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${cues.join("")}`;
}

/** `00:01:02,345` */
function clock(seconds: number, decimalPoint: string): string {
  const ms = Math.round(Math.max(0, seconds) * 1_000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const time = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map(two).join(":");
  return `${time}${decimalPoint}${String(ms % 1_000).padStart(3, "0")}`;
}
