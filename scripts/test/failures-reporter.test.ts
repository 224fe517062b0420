import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import reportFailures, { type TestEvent } from "./failures-reporter.ts";

async function report(events: readonly TestEvent[]): Promise<string> {
  const stream = (async function* () {
    yield* events;
  })();
  let text = "";
  for await (const part of reportFailures(stream)) text += part;
  return text;
}

test("the summary of failures lists each failed test with its place and error, and no suites or passed tests", async () => {
  const file = join(process.cwd(), "services/a/test/a.test.ts");
  const cause = new Error("expected one bill, found two");
  const text = await report([
    { type: "test:pass", data: { name: "a passed test" } },
    { type: "test:fail", data: { name: "one bill", file, line: 7, details: { error: { cause } } } },
    { type: "test:fail", data: { name: "the suite", file, details: { error: { failureType: "subtestsFailed" } } } },
  ]);
  assert.match(text, /^one bill \(services\/a\/test\/a\.test\.ts:7\)\n {2}Error: expected one bill, found two\n/);
  assert.doesNotMatch(text, /a passed test|the suite/);
});
