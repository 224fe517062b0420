import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import i18next from "i18next";
import { timeText } from "./time.ts";

const zones = ["America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland"];
const zone = process.env["TZ"];

before(async () => {
  await i18next.init({ lng: "en", resources: {} });
});
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

for (const name of zones) {
  test(`a day's and a month's usage carry their UTC date for a viewer in ${name}`, () => {
    process.env["TZ"] = name;
    assert.equal(timeText("2026-11-01T00:00:00.000Z", "day"), "Nov 1");
    assert.equal(timeText("2026-11-01T00:00:00.000Z", "month"), "Nov 2026");
  });
}

test("an hour's usage carries the viewer's local time", () => {
  const at = (name: string): string => {
    process.env["TZ"] = name;
    return timeText("2026-11-02T00:00:00.000Z", "hour").replaceAll("\u202f", " ");
  };
  assert.deepEqual(zones.map(at), ["Nov 1, 04:00 PM", "Nov 2, 05:30 AM", "Nov 2, 01:00 PM"]);
});
