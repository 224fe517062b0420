import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import reportFailures, { type Failure, parseFailures, type TestEvent } from "./failures-reporter.ts";

async function report(events: readonly TestEvent[]): Promise<Failure[]> {
  const stream = (async function* () {
    yield* events;
  })();
  let text = "";
  for await (const part of reportFailures(stream)) text += part;
  return parseFailures(text);
}

test("the report of failures lists each failed test with its place and error, and no suites or passed tests", async () => {
  const path = "services/a/test/a.test.ts";
  const file = join(process.cwd(), path);
  const cause = new Error("expected one bill, found two");
  const failures = await report([
    { type: "test:pass", data: { name: "a passed test" } },
    { type: "test:fail", data: { name: "one bill", file, line: 7, details: { error: { cause } } } },
    { type: "test:fail", data: { name: "the suite", file, details: { error: { failureType: "subtestsFailed" } } } },
  ]);
  assert.equal(failures.length, 1);
  assert.equal(failures[0]?.file, path);
  assert.match(
    failures[0]?.text ?? "",
    /^one bill \(services\/a\/test\/a\.test\.ts:7\)\n {2}Error: expected one bill, found two\n/,
  );
});
