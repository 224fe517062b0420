const timeoutMs = 1_000;

/** Asks an HTTP health path once; true for any 2xx. */
export async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}
