import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { LogEntry } from "../src/log/entry.ts";
import type { Simulator } from "../src/service.ts";

/** Sends one request with a valid key; the response's body as text. */
export async function send(
  simulator: Simulator,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(simulator.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer good", "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The payloads of the data lines of a stream. */
export function dataOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice(6));
}

/** Waits until the log contains `count` entries and returns them. */
export async function logged(simulator: Simulator, count: number): Promise<LogEntry[]> {
  for (;;) {
    const { entries } = simulator.log.page({ since: 0, limit: 10_000 });
    if (entries.length >= count) return entries;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Writes a raw request on a connection of its own. */
export async function rawPost(simulator: Simulator, path: string, body: unknown, headers = ""): Promise<Socket> {
  const socket = connect(simulator.port, "127.0.0.1");
  await once(socket, "connect");
  const text = JSON.stringify(body);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: sim\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`,
  );
  return socket;
}

/** Everything received on a connection until it ends, and the error that ended it, if any. */
export async function drained(socket: Socket): Promise<{ text: string; error: string | undefined }> {
  const parts: Buffer[] = [];
  let error: string | undefined;
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code));
  await new Promise((resolve) => socket.once("close", resolve));
  return { text: Buffer.concat(parts).toString(), error };
}

/** Sends one request with a valid key; returns the raw response, not decompressed. */
export async function sendRaw(
  simulator: Simulator,
  path: string,
  body: unknown,
): Promise<{ head: IncomingMessage; bytes: Buffer }> {
  const headers = { authorization: "Bearer good", "content-type": "application/json" };
  const sent = request(simulator.url + path, { method: "POST", headers, agent: false });
  sent.end(JSON.stringify(body));
  const [head] = (await once(sent, "response")) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of head) parts.push(part);
  return { head, bytes: Buffer.concat(parts) };
}
