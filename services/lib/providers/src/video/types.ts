import type { Upstream } from "@uag/catalog/types";
import type { Fields } from "../conversation/fields.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";

/** A video as requested from an upstream. */
interface VideoOrder {
  /** The bill's request id; sent with every call about the task. */
  readonly requestId: string;
  /** Our id; for upstreams that return it when asked about the task. */
  readonly taskId: string;
  /** The body in the upstream's own format, without the model. */
  readonly body: Fields;
}

export interface VideoCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query, relative to the provider's base path. */
  readonly path: string;
  /** Further headers, names and values alternating. */
  readonly headers?: readonly string[];
  readonly body?: Fields;
}

/** A response about a task. */
export interface VideoResponse {
  readonly status: number;
  /** Empty if the body is not a JSON object. */
  readonly body: Fields;
  /** Length of the body. */
  readonly bytes: number;
}

/** `unknown`: the upstream reports that it has no such task. */
export type VideoPhase = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired" | "unknown";

/** The usage reported by an upstream, normalized. */
export interface VideoUsage {
  /**
   * The unmodified usage object; undefined when there was none and the rest comes from elsewhere.
   */
  readonly raw: Fields | undefined;
  /** Billed seconds, including those of input videos if the upstream bills them. */
  readonly seconds?: number | undefined;
  /** e.g. `720p` */
  readonly resolution?: string | undefined;
  readonly tokens?: number | undefined;
}

/** The state of a task as reported by an upstream. */
export interface VideoState {
  readonly phase: VideoPhase;
  /** The upstream's own name for it. */
  readonly word: string;
  /** Set when succeeded. */
  readonly videoUrl?: string | undefined;
  readonly lastFrameUrl?: string | undefined;
  readonly seed?: number | undefined;
  readonly usage?: VideoUsage | undefined;
  /**
   * Whether the upstream charges for a task that did not succeed; undefined where its usage alone
   * shows that.
   */
  readonly charged?: boolean | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
  /** The prompt as the upstream received it, if it returns it. */
  readonly prompt?: string | undefined;
}

/** A task that may or may not have been created, known only by its request. */
export interface LostVideo {
  readonly taskId: string;
  readonly upstreamModel: string;
  /** Time range of its creation by the upstream's clock, unix milliseconds. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A task in an upstream's listing, with the fields that identify it. */
export interface ListedVideo {
  readonly id: string;
  /** Our id of the task, if the upstream keeps it. */
  readonly taskId: string | undefined;
}

/** The family whose rules a video request follows. */
type VideoFamily = "wan" | "happy" | "seedance" | "grok";

/** Converts video calls to one provider's protocol. Pure: the caller makes the calls. */
export interface VideoAdapter {
  /** The family of one of its models, by the provider's name. */
  familyOf(upstreamModel: string): VideoFamily;
  /** Milliseconds between two polls of a new task, as recommended by the provider. */
  readonly pollMs: number;
  /** Milliseconds after which the provider has certainly forgotten a task. */
  readonly lifeMs: number;
  /** The provider keeps result files for less than a day, or does not say how long. */
  readonly shortLivedResults?: boolean;
  create(order: VideoOrder, upstream: Upstream): VideoCall;
  /** The id in the response to `create`; undefined when there is none. */
  createdId(body: Fields): string | undefined;
  poll(upstreamId: string): VideoCall;
  /** @throws {UpstreamFailure} for a response that does not describe the task */
  read(response: VideoResponse, upstream: Upstream): VideoState;
  /** The usage that a response reports, whatever else is in it. */
  usageIn(body: Fields): VideoUsage | undefined;
  /** Undefined if tasks cannot be cancelled. */
  cancel?(upstreamId: string): VideoCall;
  /**
   * Set if tasks with unknown outcome can be searched for. `exact` means that `taskId` identifies
   * them.
   */
  readonly list?: {
    readonly exact: boolean;
    call(lost: LostVideo): VideoCall;
    read(body: Fields): readonly ListedVideo[];
  };
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly video?: VideoAdapter;
  }
}
