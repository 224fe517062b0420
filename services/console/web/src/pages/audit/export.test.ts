import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRecord } from "../../api/types.ts";
import { csvOf } from "./export.ts";

test("an export quotes fields and contains no formula", () => {
  const record = {
    at: "2026-11-25T10:00:00Z",
    action: "key.update",
    actor: { id: "u1", name: '=HYPERLINK("x")', request_id: null },
    target_id: "key_1",
    account_id: "acct_1",
    client_address: "192.0.2.1",
    before: { alias: "a,b" },
    after: null,
    hash: "00ff",
  } as unknown as AuditRecord;
  const [head, row, end] = csvOf([record]).split("\r\n");
  assert.equal(head, "at,action,actor,target,account,address,request,before,after,hash");
  const actor = `"'=HYPERLINK(""x"")"`;
  const before = `"{""alias"":""a,b""}"`;
  assert.equal(row, `2026-11-25T10:00:00Z,key.update,${actor},key_1,acct_1,192.0.2.1,,${before},,00ff`);
  assert.equal(end, "");
});
