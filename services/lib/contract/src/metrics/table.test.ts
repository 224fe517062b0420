import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricType } from "./row.ts";
import { metricTable } from "./table.ts";

/** What a name of a type may be. */
const scheme: Readonly<Record<MetricType, RegExp>> = {
  counter: /^uag_[a-z]+(?:_[a-z]+)*_total$/,
  gauge: /^uag_[a-z]+(?:_[a-z]+)*(?<!_total)$/,
  histogram: /^uag_[a-z]+(?:_[a-z]+)*_seconds$/,
  summary: /^uag_[a-z]+(?:_[a-z]+)*_seconds$/,
};

/** Units that are not Prometheus's base units: seconds, bytes and numbers of things. */
const otherUnits = /_(?:ms|milliseconds|us|microseconds|minutes|kb|kib|mb|mib|usd_cents|percent)(?:_|$)/;

test("every metric name has the uag_ prefix, a base unit, and _total if it is a counter", () => {
  const misnamed = Object.entries(metricTable).filter(
    ([name, { type }]) => !scheme[type].test(name) || otherUnits.test(name),
  );
  assert.deepEqual(
    misnamed.map(([name]) => name),
    [],
  );
});
