import { Pace } from "@uag/runtime/pace";
import { joined } from "@uag/untrusted/joined";
import { checkParsedSize, longSpansIn } from "../response-limits.ts";
import type { CutLists } from "./cut-lists.ts";

/** Inspected at a time, bytes: about 1 ms. */
const pieceBytes = 512 * 1024;
/** Base64 and data URLs: they mean the same as JSON and as text. */
const notData = /[^\w+/=:;,.-]/;

/**
 * A response with a mark in place of each long string of base64, in turns of the event loop: images
 * and audio are all but a few kilobytes of the largest responses.
 * @param lists receives the strings
 * @throws {UpstreamFailure} `transient` if parsing the rest would block the process for too long
 */
export async function withoutLongData(body: Buffer, lists: CutLists): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { from, to, isBlank } of await longSpansIn(body)) {
    const data = body.subarray(from, to);
    if (isBlank || !(await isData(data))) continue;
    pieces.push(body.subarray(copied, from), Buffer.from(lists.addText(data)));
    copied = to;
  }
  const slim = copied === 0 ? body : await joined([...pieces, body.subarray(copied)]);
  checkParsedSize(slim);
  return slim;
}

async function isData(bytes: Buffer): Promise<boolean> {
  const pace = new Pace();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (notData.test(bytes.toString("latin1", at, at + pieceBytes))) return false;
    if (pace.isOver) await pace.rest();
  }
  return true;
}
