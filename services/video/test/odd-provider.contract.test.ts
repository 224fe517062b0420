import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { json, type OddCase, type Outcome, send } from "@uag/harness/odd-provider/case";
import { commonCases } from "@uag/harness/odd-provider/cases";
import { type OddProvider, type OddResponse, startOddProvider } from "@uag/harness/odd-provider/server";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { type Replica, startReplica, TestBooks } from "./support.ts";
import { grok, oddCatalog, seedance, type VideoWire, wan } from "./wires.ts";

interface Mode {
  readonly name: string;
  readonly wire: VideoWire;
  readonly body: object;
  readonly usageNanoUsd: bigint;
  /** The bill of a case where it is not that of the table, with the reason in a comment. */
  readonly differs: Readonly<Record<string, Outcome["bill"]>>;
}

const counts = ["negative", "text", "a float", "huge", "missing", "zero"].map((count) => `a count of ${count}`);
const usages = ["null", '"text"', "[]", "true"].map((usage) => `usage of ${usage}`);

const modes: readonly Mode[] = [
  {
    name: "a video of DashScope",
    wire: wan,
    body: { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "a boat" } },
    usageNanoUsd: 500_000_000n,
    // Seconds may have a fraction; a resolution of 1.5 has no price.
    differs: { "a count of a float": "hold" },
  },
  {
    name: "a video of Ark",
    wire: seedance,
    body: { model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: "a boat" }] },
    usageNanoUsd: 125_000_000n,
    differs: {},
  },
  {
    name: "a video of xAI",
    wire: grok,
    body: { model: "grok-imagine-video", duration: 5, resolution: "480p", prompt: "a boat" },
    usageNanoUsd: 250_000_000n,
    // It is billed by its length, which is no part of the usage.
    differs: Object.fromEntries(
      ["no usage", ...usages, ...counts, "an impossibly high count"].map((name) => [name, "usage"]),
    ),
  },
];

const zero: OddCase = {
  name: "a count of zero",
  respond: (wire) => send("200 OK", json, wire.whole(JSON.parse(JSON.stringify(wire.usage).replaceAll(/\d+/g, "0")))),
  calls: 1,
  client: "complete",
  bill: "estimate",
};
const cases = [...commonCases, zero].filter(({ kind }) => kind !== "stream");
/** A provider that responds in these ways has certainly not created a task, so another try is made. */
const certainlyRefused = ["status 503 without a body", "status 401 with an HTML page", "a redirect"];

for (const [place, mode] of modes.entries()) {
  describe(`every task of ${mode.name} ends with one bill`, { concurrency: 8 }, () => {
    const opened = new AsyncDisposableStack();
    const books = new TestBooks();
    let provider: OddProvider;
    let replica: Replica;
    before(async () => {
      provider = opened.use(await startOddProvider());
      replica = opened.use(
        await startReplica({
          at: opened.use(scratchDatabase()),
          books,
          providers: [],
          catalog: oddCatalog(provider.url),
          env: { POLL_TIMEOUT_MS: "3000", CREATE_TIMEOUT_MS: "6000" },
        }),
      );
    });
    after(() => opened.disposeAsync());

    const billed = async (marker: string) => {
      await waitFor(() => books.bills.has(marker), { what: `the bill of ${marker}`, timeoutMs: 60_000 });
      assert.equal(books.conflicts, 0);
      return books.bills.get(marker);
    };

    const succeeds = (): OddResponse => send("200 OK", json, mode.wire.whole(mode.wire.usage));
    /** Responds to the creation of a task and to its first poll; later polls find that it has succeeded. */
    const respond = (marker: string, { create, poll }: { create: OddResponse; poll: OddResponse }): void => {
      let polls = 0;
      provider.respond(marker, (request) => {
        const [method, target = ""] = request.split(" ", 2);
        if (method === "POST") return create;
        // A search for lost tasks finds none.
        if (!target.includes(marker)) return send("200 OK", json, "{}");
        return polls++ === 0 ? poll : succeeds();
      });
    };

    for (const odd of Object.keys(mode.differs))
      assert.ok(
        cases.some(({ name }) => name === odd),
        `${mode.name} differs in a case that exists: ${odd}`,
      );
    for (const [index, odd] of cases.entries()) {
      if (odd.once === true && place > 0) continue;
      const bill = odd.client === "complete" ? (mode.differs[odd.name] ?? odd.bill) : "usage";
      test(`a poll gets ${odd.name}: the task succeeds, the bill is ${bill}, and it is created once`, async () => {
        const marker = `case-p${place}_${index}`;
        const create = send("200 OK", json, mode.wire.created(marker));
        respond(marker, { create, poll: odd.respond(mode.wire, false) });
        const response = await replica.call("videos.generations", mode.body, { requestId: marker });
        assert.equal(response.status, 202, response.text);
        const { costNanoUsd, pricing, settlementRule, holdNanoUsd } = (await billed(marker)) ?? assert.fail();
        assert.equal(provider.callsOf(marker, "POST "), 1);
        const cost = [costNanoUsd, pricing];
        if (bill === "usage") assert.deepEqual(cost, [mode.usageNanoUsd, Pricing.EXACT]);
        if (bill === "estimate") assert.deepEqual(cost, [holdNanoUsd, Pricing.ESTIMATED]);
        if (bill === "hold") assert.deepEqual(cost, [holdNanoUsd, Pricing.UNPRICED]);
        const provisional: SettlementRule[] = [SettlementRule.UNPRICED_UNITS, SettlementRule.IMPLAUSIBLE_USAGE];
        const rules: SettlementRule[] = bill === "hold" ? provisional : [SettlementRule.COMPLETED];
        assert.ok(rules.includes(settlementRule), `${settlementRule}`);
      });
    }

    for (const [index, odd] of cases.entries()) {
      if (odd.once === true && place > 0) continue;
      const succeeded = odd.client === "complete";
      const what = succeeded ? "the task is made and billed by its usage" : "the creation fails, and nothing is billed";
      test(`a creation gets ${odd.name}: ${what}`, async () => {
        const marker = `case-c${place}_${index}`;
        const valid = { ...mode.wire, whole: () => mode.wire.created(marker) };
        respond(marker, { create: odd.respond(valid, false), poll: succeeds() });
        const response = await replica.call("videos.generations", mode.body, { requestId: marker });
        const { costNanoUsd, settlementRule } = (await billed(marker)) ?? assert.fail();
        const shown = `${response.status} ${response.text}`;
        if (!certainlyRefused.includes(odd.name)) assert.equal(provider.callsOf(marker, "POST "), 1, shown);
        if (succeeded) assert.equal(response.status, 202, shown);
        assert.equal(costNanoUsd, succeeded ? mode.usageNanoUsd : 0n, shown);
        assert.equal(settlementRule, succeeded ? SettlementRule.COMPLETED : SettlementRule.NOTHING_OWED);
      });
    }
  });
}
