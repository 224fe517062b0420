import { joined } from "@uag/untrusted/joined";
import { tooLong, UpstreamFailure } from "../failure.ts";
import type { Delivered, ReplayedResponse, ResponseStream } from "../generation.ts";
import type { LiveSource } from "../live-stream.ts";
import type { UsageReport } from "../usage-report.ts";
import { type BodyKind, bodyKind, maxBlankBytes } from "./body-kind.ts";
import type { HeldMemory } from "./held-memory.ts";
import { readableText } from "./readable-text.ts";

export interface SniffedOptions {
  /** Reads events. */
  readonly stream: ResponseStream;
  /** Maximum length of a body that is not streamed. */
  readonly maxBytes: number;
  /** Accounts for a body that is not streamed. */
  readonly memory: Pick<HeldMemory, "take" | "give">;
  /** Reads a body that is not streamed. @throws {UpstreamFailure} */
  replay(body: Buffer): Promise<ReplayedResponse>;
}

/**
 * A stream whose upstream may respond with a complete JSON body instead, whatever its content type
 * says: that is delivered as a stream.
 */
export class SniffedStream implements LiveSource {
  readonly #options: SniffedOptions;
  #kind: BodyKind | undefined;
  /** The body while its kind is unknown, or if it is not streamed. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #replayed: ReplayedResponse | undefined;
  #failure: UpstreamFailure | undefined;

  constructor(options: SniffedOptions) {
    this.#options = options;
  }

  get state(): ResponseStream["state"] {
    if (this.#failure !== undefined) return "failed";
    return this.#replayed === undefined ? this.#options.stream.state : "finished";
  }

  get failure(): UpstreamFailure | undefined {
    return this.#failure ?? this.#options.stream.failure;
  }

  get closing(): Buffer {
    return (this.#replayed ?? this.#options.stream).closing;
  }

  get usage(): UsageReport | undefined {
    return (this.#replayed ?? this.#options.stream).usage;
  }

  get soFar(): UsageReport | undefined {
    return this.#replayed === undefined ? this.#options.stream.soFar : undefined;
  }

  get delivered(): Delivered {
    return (this.#replayed ?? this.#options.stream).delivered;
  }

  push(chunk: Buffer): Buffer[] {
    if (this.#kind === "events") return this.#options.stream.push(chunk);
    if (this.state !== "open") return [];
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    this.#options.memory.take(chunk.length);
    if (this.#kind === undefined) this.#kind = this.#sniffed();
    if (this.#kind === "events") return this.#passedOn();
    if (this.#heldBytes > this.#options.maxBytes) {
      const received = readableText(this.#taken());
      this.#options.memory.give();
      this.#failure = tooLong(this.#options.maxBytes, { received });
    }
    return [];
  }

  end(): Buffer[] | Promise<Buffer[]> {
    if (this.#kind === "json") return this.#replay();
    return [...this.#flushed(), ...this.#options.stream.end()];
  }

  async #replay(): Promise<Buffer[]> {
    if (this.state !== "open") return [];
    try {
      this.#replayed = await this.#options.replay(await joined(this.#taken()));
      return this.#replayed.output;
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      this.#failure = error;
      this.#options.memory.give();
      return [];
    }
  }

  /** Text of another kind is no event to the decoder either, which ignores it. */
  #sniffed(): BodyKind | undefined {
    const kind = bodyKind(this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held));
    return kind === "other" || (kind === undefined && this.#heldBytes > maxBlankBytes) ? "events" : kind;
  }

  #flushed(): Buffer[] {
    return this.#held.length === 0 ? [] : this.#passedOn();
  }

  #passedOn(): Buffer[] {
    this.#options.memory.give();
    const held = this.#taken();
    return this.#options.stream.push(held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held));
  }

  #taken(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}
