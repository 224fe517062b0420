import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attacks.ts";

export interface SendOptions {
  readonly baseUrl: string;
  readonly method: string;
  /** Empty: without a key. */
  readonly key: string;
  /** In addition to those of the attack. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout for a response, milliseconds. */
  readonly timeoutMs: number;
}

/** The status of the response, or why there is none; "error" for an error in a response with status 200. */
export type Outcome = number | "cut" | "late" | "error";

/** Sends one request, and stops writing as soon as the response begins. */
export function send(
  attack: Pick<Attack, "path" | "headers" | "body" | "pauseMs">,
  options: SendOptions,
): Promise<Outcome> {
  const { baseUrl, method, key, timeoutMs } = options;
  const pieces = attack.body();
  return new Promise((resolve) => {
    const headers = {
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...lengthOf(pieces, method),
      ...options.headers,
      ...attack.headers,
    };
    const outgoing = request(`${baseUrl}${attack.path}`, { method, headers, agent: false });
    let over = false;
    const finish = (outcome: Outcome): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      outgoing.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish("late"), timeoutMs);
    outgoing.on("error", () => finish("cut"));
    outgoing.on("response", (response) => {
      const errors = new ErrorsIn(response, attack);
      response.on("close", () => finish(errors.found ? "error" : (response.statusCode ?? 0)));
    });
    const write = async (): Promise<void> => {
      for (const piece of pieces) {
        for (let at = 0; at < piece.length && !over; at += chunkBytes)
          if (!outgoing.write(piece.subarray(at, at + chunkBytes))) await drained(outgoing);
        if (attack.pauseMs !== undefined) await sleep(attack.pauseMs);
        if (over) return;
      }
      // A slow upload declares more than it sends, and is then abandoned.
      if (attack.pauseMs === undefined) outgoing.end();
      else finish("cut");
    };
    void write();
  });
}

/** How MCP and event streams report an error after their status: a failed tool, and an error that ends a stream. */
const errorMarks = ['"isError":true', '"error":{'].map((text) => Buffer.from(text));
const longestMark = Math.max(...errorMarks.map(({ length }) => length));

/** Reads a successful response to its end for an error in its text. */
class ErrorsIn {
  found = false;
  #tail = Buffer.alloc(0);

  constructor(response: IncomingMessage, { path }: Pick<Attack, "path">) {
    const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
    const isRead = response.statusCode === 200 && (isStream || path.startsWith("/mcp"));
    response.on("data", (chunk: Buffer) => {
      if (!isRead || this.found) return;
      const text = Buffer.concat([this.#tail, chunk]);
      this.found = errorMarks.some((mark) => text.includes(mark));
      this.#tail = text.subarray(-longestMark);
    });
  }
}

const chunkBytes = 256 * 1024;

function lengthOf(pieces: readonly Buffer[], method: string): Record<string, string> {
  if (pieces.length === 0 && method === "GET") return {};
  return { "content-length": String(pieces.reduce((sum, piece) => sum + piece.length, 0)) };
}

function drained(outgoing: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.once("drain", done);
    outgoing.once("close", done);
  });
}
