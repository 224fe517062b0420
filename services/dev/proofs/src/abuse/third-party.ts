import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32, deflateSync } from "node:zlib";

/** An external server named by users' URLs, and the requests it received. */
export interface ThirdParty extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  requests: number;
  bytes: number;
}

const pictureBytes = 8 * 1024 * 1024;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG of one pixel, with a large comment. */
function bigPicture(): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const comment = Buffer.concat([Buffer.from("Comment\0"), Buffer.alloc(pictureBytes, "x")]);
  const pixel = deflateSync(Buffer.from([0, 255, 0, 0]));
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("tEXt", comment),
    chunk("IDAT", pixel),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export async function startThirdParty(): Promise<ThirdParty> {
  const picture = bigPicture();
  const server = createServer((_request, response) => {
    party.requests++;
    response.writeHead(200, { "content-type": "image/png", "content-length": picture.length });
    for (let at = 0; at < picture.length; at += 65_536) response.write(picture.subarray(at, at + 65_536));
    response.end();
    response.once("close", () => {
      party.bytes += response.socket?.bytesWritten ?? (response.writableFinished ? picture.length : 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const party: ThirdParty = {
    url: `http://${host}`,
    host,
    requests: 0,
    bytes: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return party;
}
