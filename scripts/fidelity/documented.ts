import type { FieldTable } from "@uag/providers/passed-fields/cost-class";

/** A request's body, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** A field that a format's vendor documents, in a request that uses it. */
export interface DocumentedField {
  /** Its name in the reference: `tools[].function.strict`. */
  readonly name: string;
  /** Members of a request that uses the field. */
  readonly sent: Json;
  /** The same members without the field; default: none. */
  readonly without?: Json;
}

/** A client format, and the fields that its vendor's reference lists. */
export interface DocumentedFormat {
  /** The cost classes of fields, by which the service refuses fields. */
  readonly costs: FieldTable;
  readonly title: string;
  readonly path: string;
  /** The reference. */
  readonly source: string;
  /** Members of every request in addition to `model`. */
  readonly base: Json;
  readonly fields: readonly DocumentedField[];
}
