import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { billingOf } from "./conformance/billing.ts";
import { crashes } from "./conformance/crashes.ts";
import { idempotency } from "./conformance/idempotency.ts";
import { refusals } from "./conformance/refusals.ts";
import type { Served } from "./conformance/served.ts";
import { streaming } from "./conformance/streaming.ts";
import { tasks } from "./conformance/tasks.ts";
import { isVictim, serveVictim } from "./conformance/victim.ts";
import { scratchDatabase } from "./scratch-database.ts";
import type { OperationsHarness, StartOptions } from "./start-operations.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

/** A service whose operations must keep the guarantees of all operations. */
export interface ConformanceOptions {
  /** The file that calls `conformance`; run on its own, it serves the operations until it is killed. */
  readonly file: string;
  /** Starts the operations with their upstream at this URL. */
  readonly start: (
    upstreamUrl: string,
    parts: Pick<StartOptions, "idempotency" | "admission">,
  ) => Promise<OperationsHarness>;
  /** Each operation, in each kind of response that it has. */
  readonly cases: readonly Served[];
}

/**
 * Declares the tests of what every billed operation guarantees: money, errors, sizes, order,
 * disconnects, backpressure, idempotency keys and crashes. The link, the pipeline and MongoDB are
 * real; the upstream is the test's, and so is the admission, except where a process is killed.
 */
export function conformance({ file, start, cases }: ConformanceOptions): void {
  if (isVictim()) {
    void serveVictim(start, cases);
    return;
  }
  declareTests({ start, cases });
  // A task outlives its process, though not its journal: the service has tests of its own for that.
  const requests = cases.filter(({ isTask }) => isTask === undefined);
  if (requests.length > 0) describe("a process that is killed", () => crashes({ file, cases: requests }));
}

function declareTests({ start, cases }: Pick<ConformanceOptions, "start" | "cases">): void {
  const opened = new AsyncDisposableStack();
  let harness: OperationsHarness;
  let upstream: TestUpstream;
  before(async () => {
    const idempotency = opened.use(scratchDatabase());
    upstream = opened.use(await startUpstream());
    harness = opened.use(await start(upstream.url, { idempotency }));
  });
  afterEach(() => {
    harness.admission.reset();
    upstream.received.length = 0;
    upstream.script = () => {};
  });
  after(() => opened.disposeAsync());
  test("each operation that can stream is tested with a stream", () => {
    const tested = new Set(cases.filter(({ stream }) => stream !== undefined).map(({ operation }) => operation));
    assert.deepEqual(
      harness.streamed.filter((operation) => !tested.has(operation)),
      [],
    );
  });
  for (const served of cases) {
    describe(`${served.name} keeps what every operation guarantees`, () => {
      const guarantees = [
        ...refusals,
        ...(served.isTask === undefined ? billingOf(served) : tasks),
        ...idempotency,
        ...(served.stream === undefined ? [] : streaming),
      ];
      for (const { title, check } of guarantees) test(title, () => check(served, { harness, upstream }));
    });
  }
}
