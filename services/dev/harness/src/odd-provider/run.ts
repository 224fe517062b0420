import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { OperationsHarness, ReceivedResponse } from "../start-operations.ts";
import type { OddCase, Outcome, Wire } from "./case.ts";
import { type OddProvider, startOddProvider } from "./server.ts";

/** The outcome of a case in one mode. */
export interface Difference extends Partial<Outcome> {
  /** Instead of the mode's check. */
  readonly check?: (response: ReceivedResponse) => void;
}

/** How the client asks the gateway, and how the gateway asks the provider. */
export interface OddMode<W extends Wire = Wire> {
  readonly name: string;
  readonly wire: W;
  /** The provider is asked for a stream. */
  readonly stream: boolean;
  /** The client receives a response head before the provider's response has ended. */
  readonly streamsToClient: boolean;
  readonly operation: string;
  /** Its path, where that has a part of the request; default: `/`. */
  readonly target?: string;
  /** Sent as JSON unless it is bytes. */
  body(marker: string): object;
  /** Names and values, alternating; default: JSON. */
  readonly headers?: readonly string[];
  /** The cost of the wire's usage, nano-USD. */
  readonly usageNanoUsd: bigint;
  /** The cost of what the request asks for, nano-USD, where that is charged without usage. */
  readonly askedNanoUsd?: bigint;
  /**
   * The cost of the longest output, nano-USD, where the provider may have generated it although it
   * was not received: then failed responses are billed by that bound in place of an estimate.
   */
  readonly boundNanoUsd?: bigint;
  /** Checks a response of status 200. */
  check(response: ReceivedResponse, client: "complete" | "broken"): void;
  /** Outcomes that differ here, by case name; a comment at each gives the reason. */
  readonly differs?: Readonly<Record<string, Difference>>;
}

type AnyMode = Omit<OddMode, "wire">;
type Named = Pick<OddCase, "name">;

export interface OddTable<W extends Wire> {
  readonly modes: readonly OddMode<W>[];
  readonly cases: readonly OddCase<W>[];
  /** Starts the service with a provider at this URL. */
  start(url: string): Promise<OperationsHarness>;
}

/**
 * Sends every case to every mode. Each states how often the provider is called, what the client
 * receives, what is paid and which rule the receipt names.
 */
export function testOddProviders<W extends Wire>({ modes, cases, start }: OddTable<W>): void {
  checkNames(modes, cases);
  for (const [place, mode] of modes.entries()) {
    describe(mode.name, { concurrency: 16 }, () => {
      const opened = new AsyncDisposableStack();
      let provider: OddProvider;
      let harness: OperationsHarness;
      before(async () => {
        provider = opened.use(await startOddProvider());
        harness = opened.use(await start(provider.url));
      });
      after(() => opened.disposeAsync());
      for (const [index, odd] of cases.entries()) {
        if (odd.kind !== undefined && (odd.kind === "stream") !== mode.stream) continue;
        if (odd.once === true && modes.findIndex(({ stream }) => stream === mode.stream) !== place) continue;
        const outcome = outcomeOf(odd, mode);
        const { calls, client, bill } = outcome;
        test(`${odd.name}: response ${client}, bill ${bill}, upstream calls ${calls}`, async () => {
          const marker = `case-${place}_${index}`;
          const sent = odd.respond(mode.wire, mode.stream);
          checkRules(sent.pieces, mode.wire, outcome);
          provider.respond(marker, sent);
          const { operation, target = "/", headers } = mode;
          const response = await harness.call(operation, mode.body(marker), {
            requestId: marker,
            target,
            ...(headers !== undefined && { headers }),
          });
          const shown = `${response.status} ${response.text.slice(0, 2_000)}`;
          assert.equal(provider.callsOf(marker, "POST "), calls, shown);
          try {
            checkClient(response, outcome, mode.differs?.[odd.name]?.check ?? mode.check);
            checkBill(harness, marker, { outcome, mode });
          } catch (error) {
            throw new Error(shown, { cause: error });
          }
        });
      }
    });
  }
}

function outcomeOf(odd: Named & Outcome, { differs = {}, streamsToClient, boundNanoUsd }: AnyMode): Outcome {
  const isBounded = boundNanoUsd !== undefined && odd.bill === "estimate" && odd.client !== "complete";
  const { calls, client, bill } = { ...odd, ...(isBounded && { bill: "bound" as const }), ...differs[odd.name] };
  return { calls, client: client === "broken" && !streamsToClient ? "error" : client, bill };
}

/** Rejects exceptions for cases that no longer exist. */
function checkNames(modes: readonly AnyMode[], cases: readonly Named[]): void {
  const names = new Set(cases.map(({ name }) => name));
  assert.equal(names.size, cases.length, "case names are unique");
  for (const { name, differs = {} } of modes)
    for (const odd of Object.keys(differs))
      assert.ok(names.has(odd), `${name} has an exception for the unknown case "${odd}"`);
}

/** Rejects outcomes that the rules exclude, whatever the code does today. */
function checkRules(pieces: Iterable<string | Buffer>, { usage }: Wire, { bill, calls }: Outcome): void {
  if (bill !== "free") assert.equal(calls, 1, "a charged call is not retried");
  if (!Array.isArray(pieces)) return;
  const sent = Buffer.concat(pieces.map((piece: string | Buffer) => Buffer.from(piece)));
  if (sent.includes(JSON.stringify(usage))) assert.notEqual(bill, "free", "a response with usage is not free");
}

function checkClient(response: ReceivedResponse, { client }: Outcome, check: OddMode["check"]): void {
  if (client === "error") {
    assert.ok(response.status >= 400, `${response.status}`);
    const { error, code } = response.json();
    // DashScope's format has its error at the top.
    assert.ok(typeof error === "object" || typeof code === "string", "the body is an error");
    return;
  }
  assert.equal(response.status, 200);
  assert.equal(response.broken !== undefined, client === "broken");
  check(response, client);
}

interface Expected {
  readonly outcome: Outcome;
  readonly mode: AnyMode;
}

function checkBill({ admission }: OperationsHarness, requestId: string, { outcome, mode }: Expected): void {
  const booked = admission.booked.filter(({ request }) => request.requestId === requestId);
  const [only] = booked;
  assert.ok(booked.length === 1 && only?.settlement !== undefined, "there is exactly one bill");
  const { costNanoUsd, pricing, attempts, settlementRule } = only.settlement;
  assert.equal(attempts, outcome.calls, "the bill counts every call");
  const cost = [costNanoUsd, pricing];
  if (outcome.bill === "usage") assert.deepEqual(cost, [mode.usageNanoUsd, Pricing.EXACT]);
  if (outcome.bill === "asked") assert.deepEqual(cost, [mode.askedNanoUsd, Pricing.EXACT]);
  if (outcome.bill === "hold") assert.deepEqual(cost, [only.request.holdNanoUsd, Pricing.UNPRICED]);
  if (outcome.bill === "free") assert.equal(costNanoUsd, 0n);
  if (outcome.bill === "estimate") assert.ok(costNanoUsd > 0n && pricing === Pricing.ESTIMATED, `${cost}`);
  if (outcome.bill === "bound") {
    const bounds = [mode.boundNanoUsd ?? 0n, only.request.holdNanoUsd];
    const isWithin = costNanoUsd >= (bounds[0] as bigint) && costNanoUsd <= (bounds[1] as bigint);
    assert.ok(isWithin && pricing === Pricing.ESTIMATED, `${cost}, not between ${bounds}`);
  }
  assert.ok(rulesOf(outcome).includes(settlementRule), `the receipt names ${settlementRule}`);
}

function rulesOf({ bill, client }: Outcome): SettlementRule[] {
  if (bill === "hold") return [SettlementRule.UNPRICED_UNITS, SettlementRule.IMPLAUSIBLE_USAGE];
  if (bill === "bound") return [SettlementRule.UPPER_BOUND];
  if (bill === "free") return [SettlementRule.NOTHING_OWED];
  if (client === "complete") return [SettlementRule.COMPLETED];
  return [bill === "estimate" ? SettlementRule.FAILED_ESTIMATE : SettlementRule.FAILED_USAGE];
}
