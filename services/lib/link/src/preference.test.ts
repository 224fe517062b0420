import assert from "node:assert/strict";
import { test } from "node:test";
import { Preference } from "./preference.ts";

const replicas = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ address: `10.0.0.${n}:7000`, outstanding: 0 }));
const accounts = Array.from({ length: 3_000 }, (_, n) => `acct_${n * 7}`);

test("assigns each account one replica, spreads accounts evenly, and moves only the accounts of a removed replica", () => {
  const preference = new Preference();
  const five = replicas(5);
  const home = new Map(accounts.map((id) => [id, preference.choose(id, five)?.address]));
  for (const { address } of five) {
    const own = [...home.values()].filter((one) => one === address).length;
    assert.ok(own > 500 && own < 700, `${own} of 3,000`);
  }
  const gone = five[2];
  for (const id of accounts) {
    const now = preference.choose(
      id,
      five.filter((one) => one !== gone),
    )?.address;
    if (home.get(id) !== gone?.address) assert.equal(now, home.get(id));
  }
});

test("an account moves to its second choice, then to any replica, when its preferred ones exceed their fair share", () => {
  const preference = new Preference();
  const three = replicas(3);
  const first = preference.choose("acct_hot", three);
  assert.ok(first);
  const held = { first: 0, second: 0, none: 0 };
  for (let n = 0; n < 300; n++) {
    const chosen = preference.choose("acct_hot", three);
    if (chosen === first) held.first++;
    else if (chosen !== undefined) held.second++;
    else held.none++;
    const min = three.reduce((a, b) => (b.outstanding < a.outstanding ? b : a));
    (chosen ?? min).outstanding++;
  }
  const max = Math.max(...three.map(({ outstanding }) => outstanding));
  assert.ok(max <= 100 * 1.125 + 3, `${max} of 300 on one of three`);
  assert.ok(held.first > 90 && held.second > 0 && held.none > 0);
});
