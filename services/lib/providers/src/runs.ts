import { append } from "@uag/untrusted/append";
import type { SseEvent } from "@uag/untrusted/sse/event";

/** Joins adjacent events of one buffer into one slice. */
export class Runs {
  #buffers: Buffer[] | undefined;
  #source: Buffer | undefined;
  #start = 0;
  #end = 0;

  add(event: SseEvent): void {
    if (event.source === this.#source && event.start === this.#end) {
      this.#end = event.end;
      return;
    }
    this.#flush();
    this.#source = event.source;
    this.#start = event.start;
    this.#end = event.end;
  }

  /** Inserts bytes of another buffer between the events. */
  insert(bytes: Buffer): void {
    this.#flush();
    this.#buffers = append(this.#buffers, bytes);
  }

  buffers(): Buffer[] {
    this.#flush();
    return this.#buffers ?? [];
  }

  #flush(): void {
    const source = this.#source;
    if (source === undefined) return;
    const whole = this.#start === 0 && this.#end === source.length;
    this.#buffers = append(this.#buffers, whole ? source : source.subarray(this.#start, this.#end));
    this.#source = undefined;
  }
}
