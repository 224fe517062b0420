import type { ErrorCode } from "@uag/contract/errors/table";
import type { z } from "zod";
import type { Example } from "./examples/types.ts";

/** Schemas by their names in the document. More than one: any of them. */
export type Named = Readonly<Record<string, z.ZodType>>;

export interface Responses {
  readonly json?: Named;
  /** Schemas of the events' data. */
  readonly events?: Named;
  readonly audio?: boolean;
  /** Any bytes. */
  readonly bytes?: boolean;
  /** Plain text. */
  readonly text?: boolean;
  /** Rows, as JSON lines or CSV. */
  readonly rows?: boolean;
}

/** Documentation of an operation beyond its row in the table of routes. */
export interface Operation {
  /** `operationId`: its name in clients generated from the document. */
  readonly id: string;
  /** Described in `tags` of a file in `endpoints/`, or in `tags.ts`. */
  readonly tag: string;
  readonly summary: string;
  readonly request?: Named;
  readonly ok: Responses;
  readonly accepted?: Responses;
  /** The success status, if not 200. */
  readonly status?: 201 | 202;
  /** Requires an admin token instead of a key. */
  readonly admin?: boolean;
  /** The body may be omitted. */
  readonly bodyIsOptional?: boolean;
  /** May fail because of insufficient funds. */
  readonly spends?: boolean;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Calls a provider; default: its requests are billed. */
  readonly callsProvider?: boolean;
  /** Waits if the client asks for it. */
  readonly waits?: boolean;
  /** Anthropic's headers are passed on to the provider. */
  readonly native?: boolean;
  /** Some of its responses use DashScope's format. */
  readonly flatErrors?: boolean;
  /** Error codes that do not follow from the fields above. */
  readonly errors?: readonly ErrorCode[];
  /** Shown in the reference, and sent wherever every operation is tried. */
  readonly examples?: readonly Example[];
}
