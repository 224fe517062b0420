import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { idCursor, readLongRows, readPage, readTimedPage, timedCursor, toPage, toPageById } from "./paging.ts";

test("pages by id return every row once, whatever their size", () => {
  const ids = Array.from({ length: 23 }, (_, n) => `key_${String(n).padStart(3, "0")}`);
  for (let limit = 1; limit < 30; limit++) {
    const seen: string[] = [];
    let cursor = "";
    do {
      const { after } = readPage({ limit, cursor });
      const found = ids.filter((id) => id > after).slice(0, limit + 1);
      const page = toPageById(found, limit, (id) => id);
      seen.push(...page.rows);
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.deepEqual(seen, ids);
  }
});

test("pages of long rows have at most 1 MiB, or one row, and return every row once", async () => {
  const sizes = [10, 700_000, 400_000, 3_000_000, 2_000_000, 10, 10, 10];
  const rows = sizes.map((size, n) => ({ size, id: `key_${n}` }));
  const pages: number[][] = [];
  let cursor = "";
  do {
    const { after } = readPage({ limit: 2, cursor });
    async function* found() {
      yield* rows.filter(({ id }) => id > after);
    }
    const page = await readLongRows(found(), 2, { cursorOf: ({ id }) => idCursor(id), sizeOf: ({ size }) => size });
    pages.push(page.rows.map(({ size }) => size));
    cursor = page.nextCursor;
  } while (cursor !== "");
  assert.deepEqual(pages, [[10, 700_000], [400_000], [3_000_000], [2_000_000], [10, 10], [10]]);
});

test("a position by time round-trips through its cursor, with any text as its id", () => {
  const at = new Date(1_790_000_000_123);
  for (const id of ["req_1", "a b\nc", "ü/#", "x".repeat(400)]) {
    const { rows, nextCursor } = toPage(
      [
        { at, id },
        { at, id: "more" },
      ],
      1,
      (row) => timedCursor(row.at, row.id),
    );
    assert.deepEqual(rows, [{ at, id }]);
    assert.deepEqual(readTimedPage({ limit: 0, cursor: nextCursor }), { limit: 100, after: { at, id } });
  }
});

test("rejects limits out of range and foreign cursors, naming the invalid field", () => {
  const refusal = (param: string) => (error: unknown) =>
    error instanceof GatewayError && error.code === "invalid_request" && error.param === param;
  for (const read of [readPage, readTimedPage]) {
    for (const limit of [-1, 1_001]) assert.throws(() => read({ limit, cursor: "" }), refusal("page.limit"));
    assert.throws(() => read({ limit: 1, cursor: Buffer.from("$ne{").toString("base64url") }), refusal("page.cursor"));
  }
});
