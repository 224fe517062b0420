import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { FileContext } from "../files/context.ts";
import type { BatchStore } from "./batch-store.ts";
import type { BatchEvents } from "./events.ts";

/** Dependencies of every operation on batches. */
export interface BatchContext extends FileContext {
  readonly batches: BatchStore;
  readonly batchEvents: BatchEvents;
  /** Accounts for request bodies. */
  readonly buffers: BufferBudget;
  /** The public server's base URL. */
  readonly publicUrl: string;
  /** Notifies the worker of a new batch. */
  readonly wake: () => void;
}
