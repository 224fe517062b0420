// Parses one long body, the first of this process, and prints the most expensive turn of the event
// loop: `node first-body.ts <kind>`.
import { parseJsonInTurns } from "../src/json/parse.ts";

/** One turn of the event loop. */
export interface Turn {
  /** Resident memory that the process gained in it, bytes. */
  readonly grownBytes: number;
  /** CPU time of the main thread, milliseconds. */
  readonly ms: number;
}

const mebi = 1024 * 1024;
const most = 32 * mebi - 64;
const wide = Buffer.from("汉");
const latin = (bytes: number): Buffer => Buffer.alloc(bytes, "It is. ");

const bodies: Readonly<Record<string, () => readonly Buffer[]>> = {
  base64: () => [Buffer.alloc(most, "QUJD")],
  "one wide character": () => [Buffer.concat([latin(most - 3), wide])],
  "the longest texts": () => Array.from({ length: 3 }, () => Buffer.concat([latin(10 * mebi - 1), wide])),
  "hundreds of texts": () => Array.from({ length: most / 60_000 }, () => latin(59_990)),
  escapes: () => [Buffer.alloc(most, "\\u6c49")],
};

function bodyOf(kind: string): Buffer {
  const texts = bodies[kind]?.() ?? [];
  const pieces = texts.flatMap((text, index) => [Buffer.from(index === 0 ? '["' : '","'), text]);
  return Buffer.concat([...pieces, Buffer.from('"]')]);
}

async function worstTurn(work: Promise<unknown>): Promise<Turn> {
  let worst: Turn = { grownBytes: 0, ms: 0 };
  let isOver = false;
  work.catch(() => {}).finally(() => (isOver = true));
  while (!isOver) {
    const [cpu, resident] = [process.threadCpuUsage(), process.memoryUsage.rss()];
    await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(cpu);
    const grownBytes = process.memoryUsage.rss() - resident;
    worst = { grownBytes: Math.max(worst.grownBytes, grownBytes), ms: Math.max(worst.ms, (user + system) / 1_000) };
  }
  return worst;
}

const body = bodyOf(process.argv[2] ?? "");
process.stdout.write(JSON.stringify(await worstTurn(parseJsonInTurns(body))));
