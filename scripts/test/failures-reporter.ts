import { relative } from "node:path";
import { inspect } from "node:util";

/** The part of an event that this reporter reads: https://nodejs.org/api/test.html#class-testsstream */
export interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly line?: number;
    readonly details?: { readonly error?: { readonly failureType?: string; readonly cause?: unknown } };
  };
}

/**
 * A reporter for node:test that writes only the failures, each with its file and error. `npm test`
 * repeats them at its end, after thousands of lines of passed tests. A suite that failed only by
 * its tests is omitted.
 */
export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    const error = data.details?.error;
    if (type !== "test:fail" || error?.failureType === "subtestsFailed") continue;
    const place = data.file === undefined ? "" : ` (${relative(process.cwd(), data.file)}:${data.line})`;
    yield `${data.name}${place}\n${inspect(error?.cause ?? error).replace(/^/gm, "  ")}\n\n`;
  }
}
