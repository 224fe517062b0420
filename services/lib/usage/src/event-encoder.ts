import type { FailedAttempt, UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** Space reserved before the event for its tag and length, which are known last. */
const headRoom = 6;
const initialBytes = 16 * 1024;
const keptBytes = 1024 * 1024;
const maxAsciiTry = 127;

/**
 * Encodes usage events as one length-delimited field, byte for byte like the generated codec, into
 * a reused buffer, since every request writes two events. Integers are not checked: they come from
 * our own arithmetic.
 */
export class EventEncoder {
  #bytes = Buffer.allocUnsafeSlow(initialBytes);
  #at = 0;

  /** @param tag of the field that holds the event (field number << 3 | 2), below 128 */
  encode(tag: number, event: UsageEvent): Buffer {
    this.#at = headRoom;
    this.#event(event);
    const length = this.#at - headRoom;
    const start = headRoom - 1 - varintBytes(length);
    const end = this.#at;
    this.#bytes[start] = tag;
    this.#at = start + 1;
    this.#varint(length);
    const encoded = Buffer.allocUnsafe(end - start);
    this.#bytes.copy(encoded, 0, start, end);
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
    return encoded;
  }

  #event(event: UsageEvent): void {
    this.#text(1, event.requestId);
    this.#text(2, event.accountId);
    this.#text(3, event.keyId);
    this.#text(4, event.holderId);
    this.#text(5, event.grantId);
    this.#text(6, event.operation);
    this.#text(7, event.model);
    this.#text(8, event.upstream);
    this.#text(9, event.upstreamModel);
    this.#integer(10, event.startedAtMs);
    this.#integer(11, event.endedAtMs);
    this.#integer(12, event.outcome);
    this.#integer(13, event.pricing);
    for (const unit of event.units) this.#unit(unit.name, unit.quantity);
    this.#integer(15, event.holdNanoUsd);
    this.#integer(16, event.costNanoUsd);
    this.#text(17, event.priceVersion);
    this.#raw(18, event.rawUsage);
    this.#integer(19, event.attempts);
    this.#integer(20, event.status);
    this.#integer(21, event.stream ? 1 : 0);
    this.#integer(22, event.settlementRule);
    this.#optionalInteger(23, event.firstByteMs);
    for (const failed of event.failedAttempts) this.#failedAttempt(failed);
    if (event.traceId !== undefined) this.#text(25, event.traceId);
    if (event.spanId !== undefined) this.#text(26, event.spanId);
    if (event.errorCode !== undefined) this.#text(27, event.errorCode);
    if (event.clientRequestId !== undefined) this.#text(28, event.clientRequestId);
    if (event.upstreamRequestId !== undefined) this.#text(29, event.upstreamRequestId);
    if (event.upstreamCredential !== undefined) this.#text(30, event.upstreamCredential);
    if (event.catalogVersion !== undefined) this.#text(31, event.catalogVersion);
    if (event.requestedModel !== undefined) this.#text(32, event.requestedModel);
    if (event.fallbackReason !== undefined) this.#text(33, event.fallbackReason);
    if (event.upstreamReason !== undefined) this.#text(34, event.upstreamReason);
    if (event.credentialReason !== undefined) this.#text(35, event.credentialReason);
    if (event.upstreamCredentialId !== undefined) this.#text(36, event.upstreamCredentialId);
    if (event.upstreamCostNanoUsd !== undefined) this.#optionalInteger(37, Number(event.upstreamCostNanoUsd));
    for (const id of event.budgetIds) this.#text(38, id);
    if (event.rootKeyId !== undefined) this.#text(39, event.rootKeyId);
  }

  #unit(name: string, quantity: bigint): void {
    const lengthAt = this.#open(14);
    this.#text(1, name);
    this.#integer(2, quantity);
    this.#close(lengthAt);
  }

  #failedAttempt(failed: FailedAttempt): void {
    const lengthAt = this.#open(24);
    this.#text(1, failed.upstream);
    this.#text(2, failed.upstreamModel);
    this.#integer(3, failed.afterMs);
    this.#integer(4, failed.durationMs);
    this.#text(5, failed.failure);
    this.#integer(6, failed.status);
    this.#text(7, failed.code ?? "");
    this.#text(8, failed.message ?? "");
    this.#text(9, failed.upstreamRequestId ?? "");
    this.#integer(10, failed.midStream ? 1 : 0);
    this.#text(11, failed.credential);
    this.#text(12, failed.upstreamReason ?? "");
    this.#text(13, failed.credentialReason ?? "");
    this.#close(lengthAt);
  }

  /** Begins a nested message; returns the position of its length, which is known last. */
  #open(field: number): number {
    this.#ensure(16);
    this.#tag(field, 2);
    return this.#at++;
  }

  #close(lengthAt: number): void {
    this.#ensure(16);
    const length = this.#at - lengthAt - 1;
    const more = varintBytes(length) - 1;
    if (more > 0) {
      this.#bytes.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#at);
      this.#at += more;
    }
    const end = this.#at;
    this.#at = lengthAt;
    this.#varint(length);
    this.#at = end;
  }

  #text(field: number, text: string): void {
    if (text === "") return;
    this.#ensure(text.length * 3 + 16);
    this.#tag(field, 2);
    const { length } = text;
    const start = this.#at;
    if (length <= maxAsciiTry) {
      const bytes = this.#bytes;
      let at = start;
      bytes[at++] = length;
      let code = 0;
      for (let i = 0; i < length && code < 128; i++) {
        code = text.charCodeAt(i);
        bytes[at++] = code;
      }
      if (code < 128) {
        this.#at = at;
        return;
      }
    }
    this.#varint(Buffer.byteLength(text));
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  #raw(field: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#ensure(bytes.length + 16);
    this.#tag(field, 2);
    this.#varint(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #integer(field: number, value: number | bigint): void {
    const number = Number(value);
    if (number === 0) return;
    this.#ensure(16);
    this.#tag(field, 0);
    if (number > 0 && number <= Number.MAX_SAFE_INTEGER) {
      this.#varint(number);
      return;
    }
    let rest = BigInt.asUintN(64, clamped(BigInt(value)));
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128;
    this.#bytes[this.#at++] = Number(rest);
  }

  /** Writes a field whenever it is set, even when it is 0. */
  #optionalInteger(field: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#ensure(16);
    this.#tag(field, 0);
    this.#varint(value);
  }

  #tag(field: number, wireType: number): void {
    this.#varint((field << 3) | wireType);
  }

  /** @param value at most 2^53 - 1 */
  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#at++] = (rest & 127) | 128;
    this.#bytes[this.#at++] = rest;
  }

  #ensure(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

const [minInt64, maxInt64] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * Keeps a number within int64: wrapped around, an enormous count could pass for a small one. The
 * largest is beyond what metering accepts, so its event waits for a person.
 */
function clamped(value: bigint): bigint {
  if (value > maxInt64) return maxInt64;
  return value < minInt64 ? minInt64 : value;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest >>>= 7) bytes++;
  return bytes;
}
