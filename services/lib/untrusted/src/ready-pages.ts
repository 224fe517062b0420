import { Mutex } from "@uag/runtime/concurrency/mutex";
import { nextTurn } from "@uag/runtime/next-turn";

const pageBytes = 4 * 1024;
/** Touched per turn of the event loop, which takes up to 3 ms. */
const turnBytes = 1024 * 1024;
/** Larger allocations always have a mapping of their own, which the kernel gets back when freed. */
const minMappedBytes = 33 * 1024 * 1024;

/** One reserve exists at a time: those of a burst would together exceed what it is accounted for. */
const reserves = new Mutex();

/**
 * Runs `work`, which touches about `bytes` of fresh memory in one go. A page that the host of a
 * virtual machine has yet to provide costs some 12 us, 100 ms for 32 MiB; one that the kernel got
 * back just now, an eighth of that. So as many pages are touched before, in turns of the event
 * loop, and freed right before `work` takes them.
 */
export async function withReadyPages<T>(bytes: number, work: () => T): Promise<T> {
  if (bytes <= turnBytes) return work();
  return await reserves.runExclusive(async () => {
    const reserve = new ArrayBuffer(Math.max(bytes, minMappedBytes));
    const view = new Uint8Array(reserve);
    for (let at = 0; at < bytes; at += pageBytes) {
      view[at] = 1;
      if (at % turnBytes === 0) await nextTurn();
    }
    reserve.transfer(0);
    return work();
  });
}
