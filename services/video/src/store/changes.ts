import type { EndStatus, Outbox, TaskDocument, TaskFault, TaskStatus } from "./task.ts";

/** What the end of a task writes into its row. */
export interface TerminalState {
  /** The same timestamp is stored and shown to the owner. */
  readonly endedAt: Date;
  readonly status: EndStatus;
  readonly upstreamStatus?: string;
  readonly content?: TaskDocument["content"];
  readonly usage?: TaskDocument["usage"];
  readonly seed?: number;
  readonly failure?: string;
  readonly fault?: TaskFault;
  readonly hidden?: boolean;
  readonly outbox: Outbox;
}

export interface Sent {
  readonly grantId: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** Of the provider: see `TaskDocument`. */
  readonly credentialId?: string;
  readonly dueAt?: Date;
}

/** What the provider's response to the creation adds to a task. */
export interface Created {
  readonly upstreamId: string;
  /** Further ids by which the task can be found; shown unless its owner was already given ours. */
  readonly ids: string[];
  readonly grantId: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** Of the provider: see `TaskDocument`. */
  readonly credentialId?: string;
  readonly status: TaskStatus;
  readonly dueAt: Date;
  readonly guessed?: boolean;
}

export interface EndOptions {
  /** Only while this claim holds the task. */
  readonly claim?: string | undefined;
  /** Only while the provider's id is unknown. */
  readonly unmade?: boolean;
  /** How long the caller has to process the outbox, milliseconds, before others may claim it. */
  readonly outboxMs: number;
}

export interface Reschedule {
  readonly id: string;
  readonly claim: string;
  readonly status: TaskStatus;
  readonly upstreamStatus: string;
  readonly misses: number;
  /** Undefined: none. */
  readonly fault: TaskFault | undefined;
  readonly dueAt: Date;
}

export interface ListQuery {
  readonly accountId: string;
  readonly limit: number;
  /** Return tasks older than this one. */
  readonly after: string | undefined;
  readonly status: TaskStatus | undefined;
  readonly model: string | undefined;
  readonly maxTimeMS: number;
}

export type Insertion = { readonly kind: "inserted" } | { readonly kind: "known"; readonly task: TaskDocument };
