/**
 * The longest turn of the event loop during some work, in processor time, milliseconds: what
 * everything else in the process waits for on an otherwise idle machine.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let last = process.threadCpuUsage();
  let maxUs = 0;
  const look = (): void => {
    const now = process.threadCpuUsage();
    maxUs = Math.max(maxUs, now.user + now.system - last.user - last.system);
    last = now;
  };
  const timer = setInterval(look, 2);
  await work();
  look();
  clearInterval(timer);
  return maxUs / 1_000;
}
