import { UpstreamFailure } from "../failure.ts";

const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;
const forbiddenInName = /[^!#$%&'*+\-.^_`|~\dA-Za-z]/;
const forbiddenInPath = /[^\x21-\x7e]/;

export interface RequestHead {
  readonly method: string;
  readonly host: string;
  /** With its query, as it goes on the wire. */
  readonly path: string;
  /** Name and value by turns. */
  readonly headers: readonly string[];
  /** Undefined: there is no body, and none is announced. */
  readonly bodyBytes: number | undefined;
}

/**
 * A request's head as it goes on the wire (RFC 9112, 2.1), one character a byte.
 * @throws {UpstreamFailure} `operator` for a path or header that would not stay one: it came from our configuration
 */
export function requestText(head: RequestHead): string {
  if (forbiddenInPath.test(head.path)) throw new UpstreamFailure("operator", "the upstream's path is not a path");
  let text = `${head.method} ${head.path} HTTP/1.1\r\nhost: ${head.host}\r\n`;
  for (let i = 0; i < head.headers.length; i += 2) {
    const name = head.headers[i] as string;
    const value = head.headers[i + 1] as string;
    if (name === "" || forbiddenInName.test(name) || forbiddenInValue.test(value)) {
      throw new UpstreamFailure("operator", `the header ${JSON.stringify(name)} cannot be sent`);
    }
    text += `${name}: ${value}\r\n`;
  }
  if (head.bodyBytes !== undefined) text += `content-length: ${head.bodyBytes}\r\n`;
  return `${text}\r\n`;
}
