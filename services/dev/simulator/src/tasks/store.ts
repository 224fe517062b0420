import { hashOf } from "../content/hash.ts";
import { phaseAt, type Task, type TaskPlan, type TaskView, viewOf } from "./task.ts";

/** A change of a task, one line of the file. */
export type TaskLine = { readonly made: TaskPlan } | { readonly changed: TaskChange };
type TaskChange = Pick<Task, "id"> & Partial<Omit<Task, keyof TaskPlan>>;

interface TaskFile {
  append(line: TaskLine): void;
  clear(): void;
  close(): void;
}
export interface TaskStoreOptions {
  /** Milliseconds from acceptance to end, unless a fault overrides it. */
  readonly taskMs: number;
  readonly file?: TaskFile | undefined;
  readonly lines?: readonly TaskLine[];
  /** Called for every task that is created or loaded, e.g. to plan its callbacks. */
  readonly onTask?: (task: Task) => void;
  readonly onClose?: () => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The credential as stored with tasks. */
export function ownerOf(credential: string): string {
  return hashOf(credential).slice(0, 12);
}

/** The asynchronous tasks of all providers. Their state is derived from the clock. */
export class TaskStore {
  readonly taskMs: number;
  readonly now: () => number;
  readonly #tasks = new Map<string, Task>();
  readonly #options: TaskStoreOptions;
  #numbers = 0;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
    this.taskMs = options.taskMs;
    this.now = options.now;
    for (const line of options.lines ?? []) this.#replay(line);
    for (const task of this.#tasks.values()) options.onTask?.(task);
  }

  /** A number for the next task's id; never reused, not even after a restart. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  add(plan: TaskPlan): Task {
    const task = this.#open(plan);
    this.#options.file?.append({ made: plan });
    this.#options.onTask?.(task);
    return task;
  }

  /**
   * A task of this provider and owner; undefined when there is none, or it was deleted. Includes
   * tasks of unknown fate.
   */
  find(options: { provider: string; id: string; credential: string }): Task | undefined {
    const task = this.#tasks.get(options.id);
    const isTheirs = task?.provider === options.provider && task.owner === ownerOf(options.credential);
    return task !== undefined && isTheirs && task.deletedAt === undefined ? task : undefined;
  }

  /** An owner's tasks at a provider that were not deleted, newest first. */
  listOf(options: { provider: string; credential: string }): Task[] {
    const owner = ownerOf(options.credential);
    const theirs = [...this.#tasks.values()].filter(
      (task) => task.provider === options.provider && task.owner === owner && task.deletedAt === undefined,
    );
    return theirs.filter((task) => task.fate !== "unknown").toReversed();
  }

  /** Counts a poll; returns the milliseconds since the previous one, Infinity for the first. */
  poll(task: Task): number {
    const now = this.now();
    const gap = task.lastPollAt === undefined ? Number.POSITIVE_INFINITY : now - task.lastPollAt;
    const shortest = Math.min(gap, task.shortestGapMs ?? Number.POSITIVE_INFINITY);
    this.#change(task, {
      polls: task.polls + 1,
      lastPollAt: now,
      shortestGapMs: Number.isFinite(shortest) ? shortest : undefined,
    });
    return gap;
  }

  /** Cancels a queued task; false when it is no longer queued. */
  cancel(task: Task): boolean {
    if (phaseAt(task, this.now()) !== "queued") return false;
    this.#change(task, { cancelledAt: this.now() });
    return true;
  }

  /** Hides a task from its owner. */
  remove(task: Task): void {
    this.#change(task, { deletedAt: this.now() });
  }

  /** Every task, oldest first. */
  views(): TaskView[] {
    return [...this.#tasks.values()].map((task) => viewOf(task, this.now()));
  }

  clear(): void {
    this.#tasks.clear();
    this.#options.file?.clear();
  }

  close(): void {
    this.#options.onClose?.();
    this.#options.file?.close();
  }

  #open(plan: TaskPlan): Task {
    const none = { lastPollAt: undefined, shortestGapMs: undefined, cancelledAt: undefined, deletedAt: undefined };
    const task: Task = { ...plan, polls: 0, ...none };
    this.#tasks.set(task.id, task);
    return task;
  }

  #change(task: Task, change: Omit<TaskChange, "id">): void {
    Object.assign(task, change);
    this.#options.file?.append({ changed: { id: task.id, ...change } });
  }

  #replay(line: TaskLine): void {
    if ("made" in line) {
      this.#open(line.made);
      this.#numbers++;
    } else {
      Object.assign(this.#tasks.get(line.changed.id) ?? {}, line.changed);
    }
  }
}
