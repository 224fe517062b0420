import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import i18next from "i18next";
import { isoOfLocal, localOfIso, timeText } from "./time.ts";

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

test("a chosen minute is in the viewer's time zone, and stays the same moment for another viewer of the link", () => {
  const isos = zones.map((name) => {
    process.env["TZ"] = name;
    const iso = isoOfLocal("2026-11-02T09:30") ?? assert.fail(name);
    assert.equal(localOfIso(iso), "2026-11-02T09:30");
    return iso;
  });
  assert.deepEqual(isos, ["2026-11-02T17:30Z", "2026-11-02T04:00Z", "2026-11-01T20:30Z"]);
  for (const wrong of ["", "yesterday", "2026-13-40T00:00"]) assert.equal(isoOfLocal(wrong), undefined);
  for (const wrong of [undefined, "", "soon"]) assert.equal(localOfIso(wrong), "");
});
