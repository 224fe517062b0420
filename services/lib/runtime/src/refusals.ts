import type { Peer } from "@uag/contract/access/rpc";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import {
  isRefusalReason,
  maxRefusalCounts,
  maxRefusalSamples,
  maxRefusalText,
  type RefusalCount,
  type RefusalSample,
  refusalBatch,
  refusalSubjects,
} from "@uag/contract/messages/refusals";
import type { Bus } from "./bus.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./log.ts";

/** A request of a known key that got an error response and was not admitted. */
export interface Refusal {
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly operation: string;
  /** Undefined when the request was refused before its model was known. */
  readonly model?: string | undefined;
  readonly error: GatewayError;
}

/** What {@link RefusalReport} publishes to. */
export interface RefusalReportOptions {
  readonly bus: Pick<Bus, "connected" | "connection">;
  readonly service: Peer;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

const flushEveryMs = 2_000;
const hourMs = 3_600_000;
/** Single refusals kept of one key and reason between two flushes. */
const samplesOfReason = 3;

/** Credentials that clients paste into the wrong field, by their prefix or their length. */
const secrets = /(?:sk-|pk-|rk-|gsk_|xai-|ghp_|AIza)[\w-]{12,}|[A-Za-z0-9+/=_-]{48,}/g;

/** A word of this many characters is a credential, whatever its prefix. */
const recognizedLength = 48;
/** Characters searched for credentials: more than are kept, so that none is cut where the text is. */
const maxSearched = 8 * maxRefusalText;
const credentialCharacter = /[\w+/=-]/;

/** Shortens a refusal's text to {@link maxRefusalText} characters, without credentials. */
export function refusalText(message: string): string {
  const plain = withoutCutWord(message, maxSearched).replace(secrets, "[redacted]");
  const isCut = plain.length > maxRefusalText || message.length > maxSearched;
  return isCut ? `${plain.slice(0, maxRefusalText - 1)}…` : plain;
}

/**
 * The text up to a length, less the word across its end if that may be the beginning of a
 * credential; one that is long enough to be recognized stays.
 */
function withoutCutWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = maxLength;
  while (credentialCharacter.test(text.charAt(end - 1))) {
    end--;
    if (maxLength - end >= recognizedLength) return text.slice(0, maxLength);
  }
  return text.slice(0, end);
}

const short = (name: string): string => name.slice(0, 200);

interface Tally {
  count: RefusalCount;
  readonly samples: RefusalSample[];
}

/**
 * Counts refused requests by key, reason and hour, and publishes the counts and the latest texts to
 * metering every two seconds. Best effort: a refusal costs a map lookup and no call, memory is
 * bounded, and counts that were not published are lost when the process dies. Disposing publishes
 * what is left.
 */
export class RefusalReport implements Disposable {
  readonly #options: RefusalReportOptions;
  readonly #tallies = new Map<string, Tally>();
  readonly #timer: NodeJS.Timeout;
  #dropped = 0;

  constructor(options: RefusalReportOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.flush(), flushEveryMs).unref();
  }

  /** Counts a refusal; an error of any other kind is ignored. */
  add({ accountId, keyId, requestId, operation, model = "", error }: Refusal): void {
    const { code: reason, httpStatus: status } = error;
    if (!isRefusalReason(reason) || keyId === "" || accountId === "") return;
    const now = this.#options.clock.now();
    const hour = now - (now % hourMs);
    const owner = { account_id: accountId, key_id: keyId, reason };
    const id = `${keyId} ${reason} ${hour}`;
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      if (this.#tallies.size >= maxRefusalCounts) {
        this.#dropped++;
        return;
      }
      tally = { count: { ...owner, hour_ms: hour, count: 0 }, samples: [] };
      this.#tallies.set(id, tally);
    }
    tally.count.count++;
    if (tally.samples.length === samplesOfReason) tally.samples.shift();
    const about = { operation: short(operation), model: short(model), request_id: short(requestId) };
    tally.samples.push({ ...owner, ...about, status, message: error.message, at_ms: now });
  }

  /** Publishes the counts; keeps them while the broker is unreachable. */
  flush(): void {
    const { bus, service, log } = this.#options;
    if (this.#tallies.size === 0 || !bus.connected || bus.connection.isClosed()) return;
    const tallies = [...this.#tallies.values()];
    this.#tallies.clear();
    const samples = tallies
      .flatMap((tally) => tally.samples)
      .slice(-maxRefusalSamples)
      .map((sample) => ({ ...sample, message: refusalText(sample.message) }));
    bus.connection.publish(
      refusalSubjects.of(service),
      refusalBatch.encode({ counts: tallies.map(({ count }) => count), samples }),
    );
    if (this.#dropped > 0)
      log.warn({ refusals: this.#dropped }, "too many keys were refused; some refusals are not counted");
    this.#dropped = 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
