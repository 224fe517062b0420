import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { silence } from "@uag/harness/testing/wav";
import { issue, makeAuthority } from "@uag/local/identity/authority";

/** An https server with a few files; records the paths that were requested. */
export interface Files extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** PEM certificate of the server's CA. */
  readonly ca: string;
  readonly received: string[];
}

export async function startFiles(contents: Readonly<Record<string, Buffer>>): Promise<Files> {
  const received: string[] = [];
  const authority = await makeAuthority();
  const pair = await issue(authority, { commonName: "files", ip: ["127.0.0.1"] });
  const server = createServer(pair, ({ url = "" }, response) => {
    received.push(url);
    const content = contents[url];
    const type = url.endsWith(".mp4") ? "video/mp4" : "audio/wav";
    response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispose = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `https://${host}`, host, ca: authority.cert, received, [Symbol.asyncDispose]: dispose };
}

/** The header of a video file, by which its type is recognised. */
export const mp4 = Buffer.from("AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE=", "base64");

/** A WAV file of silence: 24 kHz, 16 bits, one channel. */
export const wav = (seconds: number): Buffer => silence(seconds, 24_000);
