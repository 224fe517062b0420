import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { FileStore } from "./file-store.ts";

/** Dependencies of every operation on files. */
export interface FileContext extends Pick<CapabilityContext, "events"> {
  readonly files: FileStore;
  readonly clock: DatabaseClock;
}
