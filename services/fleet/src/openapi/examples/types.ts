export type Json = Readonly<Record<string, unknown>>;

/** What an example sends beside its method and path. */
export interface Sent {
  /** Of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** As JSON. */
  readonly body?: Json;
  /** In place of `body`, as a form: texts, and files by the names that they are shown by. */
  readonly form?: Readonly<Record<string, string | File>>;
  /** It is asked again until the answer is so. */
  until?(response: Json): boolean;
}

/** One request and its answer, as the reference shows them. */
export interface Recorded {
  /** The name that the tables of routes have for it. */
  readonly operation: string;
  /** Of the example: unique for its operation. */
  readonly name: string;
  readonly summary: string;
  readonly path?: Json | undefined;
  readonly query?: Json | undefined;
  readonly body?: Json | undefined;
  readonly response: ReceivedResponse;
}

interface ReceivedResponse {
  readonly status: number;
  /** Without parameters; empty where there is no body. */
  readonly type: string;
  /** Of JSON the value, of other text the text; of sound nothing. */
  readonly value?: unknown;
}

/** What came back, before anything of it is shortened. */
export interface Came {
  readonly method: string;
  readonly template: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}
