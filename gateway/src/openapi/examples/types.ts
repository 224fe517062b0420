export type Json = Readonly<Record<string, unknown>>;

/** The parts of an example beyond its method and path. */
export interface Sent {
  /** Path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** As JSON. */
  readonly body?: Json;
  /** In place of `body`, as a form: texts, and files under the names shown. */
  readonly form?: Readonly<Record<string, string | File>>;
  /** Repeats the request until the response satisfies this. */
  until?(response: Json): boolean;
}

/** Sends an example's request and returns the response body. `operation` is a name in the tables of routes. */
export type Call = (operation: string, example: readonly [name: string, summary: string], sent?: Sent) => Promise<Json>;

/** An example as shown with its operation. */
export interface Example extends Sent {
  /** Unique per operation. */
  readonly name: string;
  readonly summary: string;
}

/** One request and its response, as shown in the reference. */
export interface Recorded {
  /** Its name in the tables of routes. */
  readonly operation: string;
  /** Unique per operation. */
  readonly name: string;
  readonly summary: string;
  readonly path?: Json | undefined;
  readonly query?: Json | undefined;
  readonly body?: Json | undefined;
  readonly response: ReceivedResponse;
}

interface ReceivedResponse {
  readonly status: number;
  /** Without parameters; empty when there is no body. */
  readonly type: string;
  /** The value for JSON, the text for other text; nothing for audio. */
  readonly value?: unknown;
}

/** A response before anything is shortened. */
export interface ExampleResponse {
  readonly method: string;
  readonly template: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}
