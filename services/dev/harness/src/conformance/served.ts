import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { CallOptions } from "../start-operations.ts";
import { waitFor } from "../testing/wait-for.ts";
import type { Stage } from "./stage.ts";

/** One operation with a valid request, and its upstream's response. */
export interface Served {
  /** Its name in titles. */
  readonly name: string;
  /** Its name in the route table. */
  readonly operation: string;
  /** Its path, where that has a part of the request; default: `/`. */
  readonly target?: string;
  readonly body: unknown;
  /** Names and values, alternating; default: JSON. */
  readonly headers?: readonly string[];
  /** Writes the upstream's complete response. */
  respond(response: ServerResponse): void | Promise<void>;
  /** The upstream's error under status 200, with usage beside it (JSON); tasks have none. */
  readonly errorWithUsage?: object;
  /** Its provider charges nothing: every bill is zero. */
  readonly isFree?: true;
  /** It starts a task: the response is a 202, and the bill is written when the task ends. */
  readonly isTask?: true;
  /** For a streamed response: writes its head, and one chunk per call. */
  readonly stream?: {
    begin(response: ServerResponse): void;
    /** Of some kilobytes. */
    readonly piece: string | Buffer;
  };
}

/** A guarantee of every operation. */
export interface Guarantee {
  readonly title: string;
  check(served: Served, stage: Stage): Promise<void>;
}

const json = ["content-type", "application/json"];

/** Calls the operation with its valid request; `more` are additional headers. */
export function callOf(
  { operation, target = "/", body, headers = json }: Served,
  { harness }: Pick<Stage, "harness">,
  { more = [], caller = {} }: { readonly more?: readonly string[]; readonly caller?: CallOptions } = {},
) {
  return harness.call(operation, body, { target, ...caller, headers: [...headers, ...more] });
}

/** Opens the operation with its valid request; the test decides whether to read the response. */
export function openOf({ operation, target = "/", body, headers = json }: Served, { harness }: Stage) {
  const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return harness.open(operation, bytes, { target, headers });
}

/** The status of its successful response. */
export const successOf = ({ isTask }: Served): number => (isTask === true ? 202 : 200);

/** Waits for the bill of the only admitted request. */
export async function billOf({ harness }: Stage) {
  const { booked } = harness.admission;
  await waitFor(() => booked[0]?.settlement !== undefined, { what: "the request to be billed" });
  assert.equal(booked.length, 1, "only one request is admitted");
  const [{ request, settlement } = {}] = booked;
  assert.ok(request !== undefined && settlement !== undefined);
  return { request, settlement };
}

/** A promise that the test resolves. */
export const gate = () => Promise.withResolvers<void>();

/** Long enough to notice something that must not happen. */
export const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 150));
