import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Journal } from "./journal/journal.ts";
import type { Reservations } from "./limits/reservations.ts";
import { encodeCheckpoint, encodeFinal, encodeStarted } from "./records.ts";
import type { CredentialSpend } from "./spend/credential-spend.ts";
import { RequestSpend } from "./spend/request-spend.ts";
import type { AdmitRequest, Admitted, Progress, Settlement } from "./types.ts";
import type { Account } from "./wallet/account.ts";
import type { Grant } from "./wallet/wallet.ts";

/** What a request needs from the session that admitted it. */
export interface RequestSession {
  readonly holderId: string;
  readonly journal: Journal;
  readonly open: Set<OpenRequest>;
  readonly spend: CredentialSpend;
  now(): number;
  /** Waits this many milliseconds. */
  delay(ms: number): Promise<void>;
  /** Takes a final that the disk refused, to be retried until it is written. */
  unwritten(request: OpenRequest, final: Uint8Array): void;
}

const noBytes = Buffer.alloc(0);
/** Delays between attempts to write a final that the disk refuses: about eight seconds in all. */
const retryDelaysMs = [50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000];
const noHeaders: readonly string[] = [];

/**
 * What admits a request: a grant's money, unless it cannot cost anything, and permits, if its key
 * has limits.
 */
export interface Basis {
  readonly account?: Account | undefined;
  readonly grant?: Grant | undefined;
  readonly reservation?: Reservations | undefined;
}

/** One admitted request: its hold, journal records and final. */
export class OpenRequest implements Admitted {
  readonly headers: readonly string[];
  /** No earlier journal segment holds its `started`. */
  segment: number;
  readonly #session: RequestSession;
  readonly #account: Account | undefined;
  readonly #grant: Grant | undefined;
  readonly #reservation: Reservations | undefined;
  readonly #event: UsageEvent;
  readonly #started: Promise<void>;
  #last: Progress | undefined;
  #settled = false;
  #spend: RequestSpend | undefined;

  constructor(session: RequestSession, request: AdmitRequest, { account, grant, reservation }: Basis) {
    this.#session = session;
    this.#account = account;
    this.#grant = grant;
    this.#reservation = reservation;
    this.headers = reservation?.headers ?? noHeaders;
    this.#event = startedEvent(session, request, grant?.id ?? "");
    this.segment = session.journal.segment;
    // A non-streamed response is sent only once its final is on disk, so one write may carry both.
    this.#started = session.journal.appendLazy(encodeStarted(this.#event));
    session.open.add(this);
    crashPoint("admitted");
  }

  get envelopeRemaining(): bigint | undefined {
    return this.#account?.envelopeRemaining;
  }

  get spend(): RequestSpend {
    this.#spend ??= new RequestSpend(this.#session.spend, Number(this.#event.startedAtMs));
    return this.#spend;
  }

  flushStarted(): Promise<void> {
    this.#session.journal.hurry();
    return this.#started;
  }

  /** Its final is being written; the request ends with it and nothing else. */
  get settled(): boolean {
    return this.#settled;
  }

  checkpoint(progress: Progress): void {
    const { journal } = this.#session;
    const isFirst = this.#last === undefined;
    this.#last = progress;
    const written = journal.appendLazy(this.#encodeCheckpoint(progress));
    // Until it is on disk, a death of this process makes the request free.
    if (isFirst) journal.hurry();
    written.then(
      () => crashPoint("checkpointed"),
      // The journal reports the error, and the final is still to come.
      () => undefined,
    );
  }

  /**
   * Rewrites `started` and the last checkpoint at the journal's end, so that the old segments can
   * be deleted.
   */
  async carryForward(): Promise<void> {
    const { journal } = this.#session;
    const { segment } = journal;
    const appends = [journal.append(encodeStarted(this.#event))];
    if (this.#last !== undefined) appends.push(journal.append(this.#encodeCheckpoint(this.#last)));
    await Promise.all(appends);
    this.segment = segment;
  }

  #encodeCheckpoint(progress: Progress): Uint8Array {
    const { provider: upstream, credentialId: upstreamCredentialId } = this.#spend?.last ?? {};
    return encodeCheckpoint({ requestId: this.#event.requestId, ...progress, upstream, upstreamCredentialId });
  }

  clientLeft(): void {
    this.#reservation?.release();
  }

  async settle(settlement: Settlement): Promise<void> {
    if (this.#settled) throw new Error(`request ${this.#event.requestId} is settled already`);
    this.#settled = true;
    const event = this.#event;
    Object.assign(event, settlement);
    event.endedAtMs = BigInt(this.#session.now());
    this.#reservation?.correct(tokensOf(settlement));
    const final = encodeFinal(event);
    try {
      await this.#write(final);
    } catch (error) {
      this.#session.unwritten(this, event.stream ? final : this.#voided());
      throw error;
    } finally {
      this.#reservation?.release();
    }
    crashPoint("billed");
    this.written();
  }

  /**
   * The response waits for its final: a disk that refuses briefly costs a delay, not a second
   * charge for a retry.
   */
  async #write(final: Uint8Array): Promise<void> {
    for (const delayMs of retryDelaysMs) {
      try {
        await this.#session.journal.append(final);
        return;
      } catch {
        await this.#session.delay(delayMs);
      }
    }
    await this.#session.journal.append(final);
  }

  /**
   * A non-streamed response has not been sent, and the client receives a retryable error: it is not
   * charged for a response that it does not get.
   */
  #voided(): Uint8Array {
    const { FAILED } = Outcome;
    const nothing = {
      outcome: FAILED,
      settlementRule: SettlementRule.NOTHING_OWED,
      pricing: Pricing.EXACT,
      status: 503,
      errorCode: "service_unavailable",
    };
    Object.assign(this.#event, nothing, { units: [], costNanoUsd: 0n, rawUsage: noBytes });
    return encodeFinal(this.#event);
  }

  /**
   * The final is on disk: the unspent part of the hold may be reused or returned. Not earlier: if
   * this process died before, the request would be billed by its last checkpoint, which may cost
   * more.
   */
  written(): void {
    const { costNanoUsd, holdNanoUsd } = this.#event;
    if (this.#grant !== undefined) this.#account?.settle(this.#grant, holdNanoUsd, costNanoUsd);
    this.#spend?.settled(this.#event);
    this.#session.open.delete(this);
  }
}

/** All billed tokens; undefined when the upstream reported none or an implausible number. */
function tokensOf({ units, pricing, settlementRule }: Settlement): number | undefined {
  if (settlementRule === SettlementRule.IMPLAUSIBLE_USAGE) return undefined;
  let sum = 0n;
  for (const { name, quantity } of units) if (name.endsWith("_tokens")) sum += quantity;
  return sum === 0n && pricing === Pricing.UNPRICED ? undefined : Number(sum);
}

function startedEvent(session: RequestSession, request: AdmitRequest, grantId: string): UsageEvent {
  return {
    requestId: request.requestId,
    accountId: request.caller.accountId,
    keyId: request.caller.keyId,
    budgetIds: request.caller.budgetIds,
    rootKeyId: request.caller.rootKeyId,
    holderId: session.holderId,
    grantId,
    operation: request.operation,
    model: request.model,
    upstream: "",
    upstreamModel: "",
    startedAtMs: BigInt(session.now()),
    endedAtMs: 0n,
    outcome: Outcome.UNSPECIFIED,
    pricing: Pricing.UNSPECIFIED,
    units: [],
    holdNanoUsd: request.holdNanoUsd,
    costNanoUsd: 0n,
    priceVersion: request.priceVersion,
    rawUsage: noBytes,
    attempts: 0,
    status: 0,
    stream: request.stream,
    settlementRule: SettlementRule.UNSPECIFIED,
    failedAttempts: [],
    traceId: request.traceId,
    spanId: request.spanId,
    clientRequestId: request.clientRequestId,
    catalogVersion: request.catalogVersion,
  };
}
