import type { Upstream } from "@uag/catalog/types.ts";
import type { Fields } from "../conversation/fields.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";

/** A video as it is asked of an upstream. */
export interface VideoOrder {
  /** Of the bill; goes with every call about the task. */
  readonly requestId: string;
  /** Ours; for upstreams that repeat it when asked about the task. */
  readonly taskId: string;
  /** The body in the upstream's own shape, without the model. */
  readonly body: Fields;
}

export interface VideoCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query, behind the provider's base path. */
  readonly path: string;
  /** More headers, name and value by turns. */
  readonly headers?: readonly string[];
  readonly body?: Fields;
}

/** `unknown`: the upstream says that it has no such task. */
export type VideoPhase = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired" | "unknown";

/** What an upstream counted, read from its own words. */
export interface VideoUsage {
  /**
   * The usage object as it came; undefined when there was none and the rest is read from elsewhere.
   */
  readonly raw: Fields | undefined;
  /** Seconds that are billed: those of input videos too where the upstream bills them. */
  readonly seconds?: number | undefined;
  /** e.g. `720p` */
  readonly resolution?: string | undefined;
  readonly tokens?: number | undefined;
}

/** What an upstream says of a task. */
export interface VideoState {
  readonly phase: VideoPhase;
  /** The upstream's own word for it. */
  readonly word: string;
  /** When succeeded. */
  readonly videoUrl?: string | undefined;
  readonly lastFrameUrl?: string | undefined;
  readonly seed?: number | undefined;
  readonly usage?: VideoUsage | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
  /** The prompt that the upstream was given, where it repeats it. */
  readonly prompt?: string | undefined;
}

/** A task of which only its making is known, not whether it was made. */
export interface LostVideo {
  readonly taskId: string;
  readonly upstreamModel: string;
  /** Unix milliseconds between which it was asked for. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** An upstream's tasks in one listing, with what tells them apart. */
export interface ListedVideo {
  readonly id: string;
  /** Our id of the task, where the upstream keeps it. */
  readonly taskId: string | undefined;
}

/** Whose rules a request for videos follows. */
export type VideoFamily = "wan" | "happy" | "seedance" | "grok";

/** How one provider's video tasks are spoken to. Pure: calls are made around it. */
export interface VideoAdapter {
  /** Of one of its models, by the provider's name of it. */
  familyOf(upstreamModel: string): VideoFamily;
  /** Milliseconds between two polls of a young task, as the provider advises. */
  readonly pollMs: number;
  /** Milliseconds after which the provider has forgotten a task for certain. */
  readonly lifeMs: number;
  /** The provider keeps result files for less than a day, or does not say for how long. */
  readonly shortLivedResults?: boolean;
  create(order: VideoOrder, upstream: Upstream): VideoCall;
  /** The id in the answer to `create`; undefined when there is none. */
  createdId(body: Fields): string | undefined;
  poll(upstreamId: string): VideoCall;
  /** @throws {UpstreamFailure} for a body that says nothing of the task */
  read(body: Fields, status: number, upstream: Upstream): VideoState;
  /** Undefined where a task cannot be cancelled. */
  cancel?(upstreamId: string): VideoCall;
  /**
   * Where tasks that were perhaps made can be looked for. `exact` says that `taskId` tells them
   * apart.
   */
  readonly list?: {
    readonly exact: boolean;
    call(lost: LostVideo): VideoCall;
    read(body: Fields): readonly ListedVideo[];
  };
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}
