import type { Abandoned, JournalDirectory } from "@uag/usage/journal/directory";
import type { Journal } from "@uag/usage/journal/journal";
import { type Kernel, type Lock, verdictOn } from "@uag/usage/journal/kernel";
import { noSpace, SimulatedJournal } from "./disk.ts";

/** A process as seen by its volume. */
export interface Owner {
  readonly name: string;
  readonly kernel: Kernel;
  readonly alive: boolean;
}

interface Directory {
  readonly id: string;
  readonly owner: Owner;
  readonly journal: SimulatedJournal;
}

/**
 * The disk of the processes of one machine, or by mistake of two: their journals and locks.
 */
export class Volume {
  /** Every write fails. */
  full = false;
  /** No file can be opened: file descriptors are exhausted. */
  exhausted = false;
  readonly #directories = new Map<string, Directory>();
  /** Owners whose lock was removed by a cleaner of old files. */
  readonly #unlocked = new Set<Owner>();

  removeLock(owner: Owner): void {
    this.#unlocked.add(owner);
  }

  /**
   * How an owner's lock appears under a kernel: a socket of another kernel looks like one of a dead
   * process.
   */
  #lockOf(owner: Owner, kernel: Kernel): Lock {
    if (this.#unlocked.has(owner)) return "missing";
    return owner.alive && owner.kernel.boot === kernel.boot ? "held" : "free";
  }

  #put(id: string, owner: Owner, from?: SimulatedJournal): SimulatedJournal {
    const name = `${id}@${owner.name}`;
    const deleted = (journal: SimulatedJournal): void => {
      if (this.#directories.get(name)?.journal === journal) this.#directories.delete(name);
    };
    const volume = this;
    const disk = {
      deleted,
      get full() {
        return volume.full;
      },
    };
    const journal = new SimulatedJournal(disk, from);
    this.#directories.set(name, { id, owner, journal });
    return journal;
  }

  /** The volume as one process uses it, like the real one. */
  journalsOf(owner: Owner): JournalDirectory {
    const open = new Map<string, SimulatedJournal>();
    const opened = (id: string, from?: SimulatedJournal): Journal => {
      const journal = this.#put(id, owner, from);
      open.set(id, journal);
      return journal as unknown as Journal;
    };
    return {
      create: async (id) => {
        if (this.full || this.exhausted) throw noSpace();
        return opened(id);
      },
      abandoned: async () => {
        if (this.exhausted) throw noSpace();
        this.#unlocked.delete(owner);
        return [...this.#directories].flatMap(([name, { id, owner: by }]): Abandoned[] => {
          const own = by === owner;
          if (own && open.get(id)?.ended === false) return [];
          const verdict = own ? "dead" : verdictOn(by.kernel, owner.kernel, this.#lockOf(by, owner.kernel));
          return verdict === "alive" ? [] : [{ id, verdict, name, sinceMs: 0 }];
        });
      },
      take: async ({ id, name }) => {
        const found = this.#directories.get(name);
        if (found === undefined) return undefined;
        // The previous owner continues to write files that no process will read.
        this.#directories.delete(name);
        const taken = opened(id, found.journal);
        if (!this.exhausted) return taken;
        open.delete(id);
        throw noSpace();
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  /** All existing journals. */
  get journals(): readonly string[] {
    return [...this.#directories.keys()];
  }
}
