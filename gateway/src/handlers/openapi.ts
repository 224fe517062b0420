import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type DocumentName, documents } from "../docs/documents.ts";
import type { Handler } from "../request-state.ts";
import { responseHeaders } from "../respond.ts";

/** True when the client's copy is current (RFC 9110, 13.1.2). */
function isCurrent(wanted: string | undefined, tag: string): boolean {
  if (wanted === undefined) return false;
  return wanted.split(",").some((one) => [tag, `W/${tag}`, "*"].includes(one.trim()));
}

/**
 * Serves an OpenAPI document to anyone. Read once, because it only changes with the program.
 * @throws when the file is missing
 */
export function openApi(name: DocumentName): Handler {
  const body = Buffer.from(JSON.stringify(JSON.parse(readFileSync(documents[name].file, "utf8"))));
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return (request, response) => {
    const headers = responseHeaders(request, response);
    headers.push("etag", tag, "cache-control", "public, max-age=300");
    if (isCurrent(request.headers["if-none-match"], tag)) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
    headers.push("content-type", "application/json", "content-length", String(body.length));
    response.writeHead(200, headers);
    response.end(body);
  };
}
