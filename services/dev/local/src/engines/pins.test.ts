import assert from "node:assert/strict";
import { test } from "node:test";
import { mongodPin, natsPin, wheelFor } from "./pins.ts";

test("Linux and macOS each get their own build of both servers, and other systems get none", () => {
  for (const pin of [mongodPin, natsPin]) {
    const sums = new Set<string>();
    for (const [platform, tag] of [
      ["linux", "manylinux"],
      ["darwin", "macosx"],
    ] as const)
      for (const [arch, suffix] of [
        ["x64", "x86_64"],
        ["arm64", /arm64|aarch64/],
      ] as const) {
        const wheel = wheelFor(pin, platform, arch);
        assert.ok(wheel);
        assert.match(wheel.tags.join(" "), new RegExp(tag));
        assert.match(wheel.tags.join(" "), new RegExp(suffix));
        sums.add(wheel.sha256);
      }
    assert.equal(sums.size, 4);
    assert.equal(wheelFor(pin, "win32", "x64"), undefined);
  }
});
