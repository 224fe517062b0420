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

test("the summary of failures names each test that failed, with its place and error, and no suite or test that passed", async () => {
  const file = join(process.cwd(), "services/a/test/a.test.ts");
  const cause = new Error("two bills");
  const text = await report([
    { type: "test:pass", data: { name: "a good one" } },
    { type: "test:fail", data: { name: "one bill", file, line: 7, details: { error: { cause } } } },
    { type: "test:fail", data: { name: "the suite", file, details: { error: { failureType: "subtestsFailed" } } } },
  ]);
  assert.match(text, /^one bill \(services\/a\/test\/a\.test\.ts:7\)\n {2}Error: two bills\n/);
  assert.doesNotMatch(text, /a good one|the suite/);
});
