import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Random } from "@uag/harness/testing/seeded-random";
import { z } from "zod";
import type { AdminCall } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { confine } from "./confine.ts";

const pieces = [
  "?",
  "??",
  "#",
  ";",
  "%",
  "%3f",
  "%26",
  "&",
  "&&",
  "=",
  "account",
  "%61ccount",
  "account=own",
  "account=other",
  "Account=other",
  "account[]=other",
  "key=1",
  "+",
  "%00",
  "é",
  "",
];
const anyQuery = z.looseObject({});

/** The call as a token of the account `own` may make it; undefined when it is refused. */
async function confined(url: string): Promise<string | undefined> {
  const call = { admin: { accountId: "own", budgetId: "" }, url } as AdminCall;
  return await confine(call, { roles: [], account: "query", budget: false }).then(
    (allowed) => allowed.url,
    (error: unknown) => {
      assert.ok(error instanceof GatewayError && error.code === "permission_denied", String(error));
      return undefined;
    },
  );
}

test("a call of an account's token names this account alone for every parser, whatever target the client sent", async () => {
  const random = new Random(34);
  let allowed = 0;
  for (let round = 0; round < 20_000; round++) {
    const tail = Array.from({ length: random.int(8) }, () => random.pick(pieces)).join("");
    const url = await confined(`/admin/v1/usage${tail.startsWith("?") ? "" : "?"}${tail}`);
    if (url === undefined) continue;
    allowed++;
    const parsed = new URL(url, "http://gateway");
    assert.deepEqual(parsed.searchParams.getAll("account"), ["own"], tail);
    assert.deepEqual([parsed.pathname, parsed.hash], ["/admin/v1/usage", ""], tail);
    // The schemas refuse a name that is given twice.
    const names = [...parsed.searchParams.keys()];
    if (new Set(names).size < names.length)
      assert.throws(() => checkedQuery(anyQuery, url), { code: "invalid_request" });
    else assert.deepEqual(checkedQuery(anyQuery, url), Object.fromEntries(parsed.searchParams), tail);
  }
  assert.ok(allowed > 5_000, String(allowed));
});
