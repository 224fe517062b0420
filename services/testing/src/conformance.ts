import { after, afterEach, before, describe, test } from "node:test";
import { billing } from "./conformance/billing.ts";
import { idempotency } from "./conformance/idempotency.ts";
import { refusals } from "./conformance/refusals.ts";
import type { Served } from "./conformance/served.ts";
import { streaming } from "./conformance/streaming.ts";
import { type ScratchDatabase, scratchDatabase } from "./scratch-database.ts";
import type { OperationsHarness, StartOptions } from "./start-operations.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

/** A service whose operations are held to what all of them guarantee. */
export interface ConformanceOptions {
  /** Starts the operations with their upstream at that URL. */
  readonly start: (
    upstreamUrl: string,
    idempotency: NonNullable<StartOptions["idempotency"]>,
  ) => Promise<OperationsHarness>;
  /** Each operation, and each way in which it answers. */
  readonly cases: readonly Served[];
}

/**
 * Declares the tests of what every operation that is billed by the request guarantees: money,
 * errors, size, order, leaving, backpressure and idempotency keys. The link, the pipeline and
 * MongoDB are real; the upstream and the admission are the test's.
 */
export function conformance({ start, cases }: ConformanceOptions): void {
  const opened = new AsyncDisposableStack();
  let harness: OperationsHarness;
  let upstream: TestUpstream;
  before(async () => {
    const database: ScratchDatabase = opened.use(scratchDatabase());
    upstream = opened.use(await startUpstream());
    harness = opened.use(await start(upstream.url, database));
  });
  afterEach(() => {
    harness.admission.reset();
    upstream.received.length = 0;
    upstream.script = () => {};
  });
  after(() => opened.disposeAsync());
  for (const served of cases) {
    describe(`${served.name} keeps what every operation guarantees`, () => {
      const guarantees = [...refusals, ...billing, ...idempotency, ...(served.stream === undefined ? [] : streaming)];
      for (const { title, check } of guarantees) test(title, () => check(served, { harness, upstream }));
    });
  }
}
