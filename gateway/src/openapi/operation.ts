import type { z } from "zod";
import type { Example } from "./examples/types.ts";
import type { Tag } from "./tags.ts";

/** Schemas by their names in the document. More than one: any of them. */
export type Named = Readonly<Record<string, z.ZodType>>;

export interface Responses {
  readonly json?: Named;
  /** Schemas of the events' data. */
  readonly events?: Named;
  readonly audio?: boolean;
  /** Rows, as JSON lines or CSV. */
  readonly rows?: boolean;
}

/** Documentation of an operation beyond its row in the table of routes. */
export interface Operation {
  /** `operationId`: its name in clients generated from the document. */
  readonly id: string;
  readonly tag: Tag;
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
  /** Calls a provider at the account's expense. */
  readonly billed?: boolean;
  /** Calls a provider. */
  readonly callsProvider?: boolean;
  /** Waits if the client asks for it. */
  readonly waits?: boolean;
  /** Anthropic's headers are passed on to the provider. */
  readonly native?: boolean;
  /** Some of its responses use DashScope's format. */
  readonly flatErrors?: boolean;
  /** Shown in the reference, and sent wherever every operation is tried. */
  readonly examples?: readonly Example[];
}
