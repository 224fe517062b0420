import { crc32 } from "node:zlib";

function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const bytes = Buffer.alloc(1 + key.length + 1 + 2 + text.length);
  bytes.writeUInt8(key.length);
  key.copy(bytes, 1);
  // The type of a string.
  bytes.writeUInt8(7, 1 + key.length);
  bytes.writeUInt16BE(text.length, 2 + key.length);
  text.copy(bytes, 4 + key.length);
  return bytes;
}

/**
 * One message of AWS's event stream: prelude, headers, payload, each with its checksum
 * (https://smithy.io/2.0/aws/amazon-eventstream.html).
 */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(12 + head.length + body.length + 4);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, 12);
  body.copy(message, 12 + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}
