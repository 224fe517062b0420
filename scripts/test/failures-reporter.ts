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

export interface Failure {
  /** From the root of the repository; undefined if the runner does not know it. */
  readonly file?: string | undefined;
  /** The error's message alone. */
  readonly message: string;
  /** The test's name, its place and its error, in several lines. */
  readonly text: string;
}

/**
 * A reporter for node:test that writes only the failures, each as one line of JSON. A suite that
 * failed only by its tests is omitted.
 */
export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    const error = data.details?.error;
    if (type !== "test:fail" || error?.failureType === "subtestsFailed") continue;
    const file = data.file === undefined ? undefined : relative(process.cwd(), data.file);
    const place = file === undefined ? "" : ` (${file}:${data.line})`;
    const cause = error?.cause ?? error;
    const failure: Failure = {
      file,
      message: cause instanceof Error ? cause.message : inspect(cause),
      text: `${data.name}${place}\n${inspect(cause).replace(/^/gm, "  ")}\n\n`,
    };
    yield `${JSON.stringify(failure)}\n`;
  }
}

export function parseFailures(report: string): Failure[] {
  const lines = report.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Failure);
}
