import { FrameBatch } from "@uag/proto/link/v1/link.ts";
import { BatchReader } from "../src/batch-reader.ts";
import { BatchWriter } from "../src/batch-writer.ts";
import type { FrameSink } from "../src/frames.ts";
import { jsonBody, jsonResponse, openFrame, responseHeaders } from "./shapes.ts";

export const nothing = (): void => {};
const ignore: FrameSink = {
  onOpen: nothing,
  onBody: nothing,
  onEnd: nothing,
  onHead: nothing,
  onChunk: nothing,
  onTrailer: nothing,
  onCancel: nothing,
  onCredit: nothing,
  onDrain: nothing,
};

/** Eight exchanges in one batch, in both directions: open, body, end; head, chunk, trailer. */
function tuned(writer: BatchWriter, reader: BatchReader): void {
  for (let i = 1; i <= 8; i++) {
    writer.open(i, openFrame(i));
    writer.beginBytes("body", i, jsonBody.length);
    writer.append(jsonBody, 0, jsonBody.length);
    writer.end(i);
    writer.head(i, 200, responseHeaders);
    writer.beginBytes("chunk", i, jsonResponse.length);
    writer.append(jsonResponse, 0, jsonResponse.length);
    writer.trailer(i, "");
  }
  reader.read(writer.take(), ignore);
}

function generated(): void {
  const frames: FrameBatch["frames"] = [];
  for (let i = 1; i <= 8; i++) {
    const open = openFrame(i);
    frames.push({ exchange: i, kind: { $case: "open", value: { ...open, headers: [...open.headers] } } });
    frames.push({ exchange: i, kind: { $case: "body", value: jsonBody } });
    frames.push({ exchange: i, kind: { $case: "end", value: {} } });
    frames.push({ exchange: i, kind: { $case: "head", value: { status: 200, headers: responseHeaders } } });
    frames.push({ exchange: i, kind: { $case: "chunk", value: jsonResponse } });
    frames.push({ exchange: i, kind: { $case: "trailer", value: { errorCode: "" } } });
  }
  FrameBatch.decode(FrameBatch.encode({ frames }).finish());
}

function codec(name: string, once: () => void): void {
  for (let i = 0; i < 5_000; i++) once();
  const rounds = 20_000;
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) once();
  const { user, system } = process.cpuUsage(before);
  const us = (user + system) / rounds / 8;
  process.stdout.write(`${name.padEnd(44)} ${us.toFixed(2)} us CPU an exchange (encoded and decoded, both ways)\n`);
}

/** Prints the CPU cost of the link's codec next to the generated one. */
export function benchCodec(): void {
  const writer = new BatchWriter();
  const reader = new BatchReader();
  codec("codec: generated", generated);
  codec("codec: the link's own", () => tuned(writer, reader));
}
