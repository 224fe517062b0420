import assert from "node:assert/strict";
import { test } from "node:test";
import type { Settlement } from "@uag/admission/types.ts";
import { Bill } from "@uag/capability/bill.ts";
import { SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { Mp3Encoder } from "./audio/mp3-threads.ts";
import { deliver } from "./deliver.ts";
import { serveSpeech } from "./serve.ts";
import type { Serving, Spoken } from "./speak.ts";

const nothing = (): void => undefined;

function setUp(request: object, exchange: object = {}) {
  const settled: Settlement[] = [];
  const answers: (string | number)[] = [];
  const failures: unknown[] = [];
  const admitted = {
    ...{ started: Promise.resolve(), headers: [], clientLeft: nothing, checkpoint: nothing },
    settle: async (settlement: Settlement) => void settled.push(settlement),
  };
  const events = {
    settled: nothing,
    upstreamFailed: nothing,
    failed: (_: string, error: unknown) => failures.push(error),
  };
  const model = { id: "tts", price: { version: "1", rates: new Map(), tiers: [] }, upstreams: [] };
  const bill = new Bill({ requestId: "r", admitted, model, events } as never);
  const serving = {
    ...{ admitted, bill, context: { events, threads: undefined }, request: { model, ...request } },
    exchange: {
      ...{ requestId: "r", over: false, head: nothing, write: () => true, drained: async () => undefined },
      ...{ respond: (status: number) => answers.push(status), fail: (code: string) => answers.push(code) },
      ...exchange,
    },
  } as unknown as Serving;
  return { serving, settled, answers, failures };
}

const owedNothing = ([settlement]: readonly Settlement[]): boolean =>
  settlement?.costNanoUsd === 0n && settlement.settlementRule === SettlementRule.NOTHING_OWED;

test("a fault before an upstream is asked gives the hold back", async () => {
  const traits = {
    get segmentCharacters(): number {
      throw new Error("a fault of ours");
    },
  };
  const { serving, settled } = setUp({ input: "Hello.", format: "mp3", traits });
  await assert.rejects(serveSpeech(serving), /a fault of ours/);
  assert.ok(settled.length === 1 && owedNothing(settled));
});

test("a fault while what has failed is let go does not keep its bill from being written", async () => {
  async function* sound(): AsyncGenerator<Buffer> {
    try {
      yield Buffer.alloc(2);
    } finally {
      // As of a connection that breaks while it is closed.
      failAtEnd();
    }
  }
  const failAtEnd = (): never => {
    throw new Error("the upstream's connection broke");
  };
  const pcm = sound();
  const first = { value: { pcm }, upstream: undefined, attempts: 1 } as unknown as Spoken;
  const head = (): never => {
    throw new Error("the link broke");
  };
  const { serving, settled, answers, failures } = setUp({ traits: { ideographWeight: 1 } }, { head });
  await pcm.next();
  const encoder = { drop: nothing } as unknown as Mp3Encoder;
  await deliver(serving, { first, pieces: [{ text: "Hello.", characters: 6 }], encoder });
  assert.ok(settled.length === 1 && owedNothing(settled));
  assert.deepEqual(answers, ["internal_error"]);
  assert.match(String(failures[0]), /connection broke/);
});
