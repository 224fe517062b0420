import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { waitFor } from "@uag/kit/testing/wait-for.ts";
import type { CallOptions } from "../start-operations.ts";
import type { Stage } from "./stage.ts";

/** One operation with a good request, and how its upstream answers that. */
export interface Served {
  /** How it is called in titles. */
  readonly name: string;
  /** The name in the route table. */
  readonly operation: string;
  readonly body: unknown;
  /** Name and value by turns; default: JSON. */
  readonly headers?: readonly string[];
  /** Writes the upstream's whole answer. */
  respond(response: ServerResponse): void | Promise<void>;
  /** It starts a task: the answer is a 202, and the bill is written when the task ends. */
  readonly isTask?: true;
  /** Of an answer that is streamed: writes its head, and then a piece of it each time. */
  readonly stream?: {
    begin(response: ServerResponse): void;
    /** Of some kilobytes. */
    readonly piece: string | Buffer;
  };
}

/** Something that holds for every operation. */
export interface Guarantee {
  readonly title: string;
  check(served: Served, stage: Stage): Promise<void>;
}

const json = ["content-type", "application/json"];

/** Calls the operation with its good request; `more` are headers besides its own. */
export function callOf(
  { operation, body, headers = json }: Served,
  { harness }: Pick<Stage, "harness">,
  { more = [], caller = {} }: { readonly more?: readonly string[]; readonly caller?: CallOptions } = {},
) {
  return harness.call(operation, body, { ...caller, headers: [...headers, ...more] });
}

/** Opens the operation with its good request, to be read, or not, by the test. */
export function openOf({ operation, body, headers }: Served, { harness }: Stage) {
  const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return harness.open(operation, bytes, headers === undefined ? {} : { headers });
}

/** The status of its good answer. */
export const successOf = ({ isTask }: Served): number => (isTask === true ? 202 : 200);

/** Waits for the bill of the one request that was admitted. */
export async function billOf({ harness }: Stage) {
  const { booked } = harness.admission;
  await waitFor(() => booked[0]?.settlement !== undefined, { what: "the request has its bill" });
  assert.equal(booked.length, 1, "one request is admitted");
  const [{ request, settlement } = {}] = booked;
  assert.ok(request !== undefined && settlement !== undefined);
  return { request, settlement };
}

/** A promise that the test settles. */
export const gate = () => Promise.withResolvers<void>();

/** Long enough for what must not happen to happen. */
export const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 150));
