import { followLines } from "./follow.ts";
import { requestLine } from "./line.ts";

/**
 * Reports a line for each request that the router serves, until the signal aborts.
 * @param path the log that the router writes to
 */
export function followRequests(path: string, report: (line: string) => void, signal: AbortSignal): void {
  const follow = async (): Promise<void> => {
    for await (const text of await followLines(path, signal)) {
      const line = requestLine(text);
      if (line !== undefined) report(line);
    }
  };
  follow().catch((error: unknown) => report(`The router's log cannot be followed: ${error}`));
}
