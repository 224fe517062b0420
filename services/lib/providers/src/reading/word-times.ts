import { Pace } from "@uag/runtime/pace";
import { checkedEntries, firstEntry, memberValue, smallListBytes } from "./list-entries.ts";

const member = Buffer.from('"words"');

/**
 * A transcript without its long lists of words with their times (OpenAI's reference, the verbose
 * transcription object), which only clients read: they are most of a transcript of hours. Each entry
 * is checked to be JSON, in turns of the event loop.
 * @throws {UpstreamFailure} `transient` when one is not, or is too long
 */
export async function withoutWordTimes(body: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const pace = new Pace();
  let copied = 0;
  let at = 0;
  for (let found = body.indexOf(member); found >= 0; found = body.indexOf(member, at)) {
    at = found + member.length;
    const value = memberValue(body, at);
    const list = value && firstEntry(body, value);
    if (list !== undefined) {
      at = await checkedEntries(body, list, pace);
      if (at - list > smallListBytes) {
        pieces.push(body.subarray(copied, list));
        copied = at;
      }
    }
    if (pace.isOver) await pace.rest();
  }
  return copied === 0 ? body : Buffer.concat([...pieces, body.subarray(copied)]);
}
