/** A UUID derived from a hex digest and a count; deterministic. */
export function uuidOf(digest: string, count: number): string {
  const tail = digest.slice(18, 24) + count.toString(16).padStart(6, "0").slice(-6);
  return [digest.slice(0, 8), digest.slice(8, 12), `4${digest.slice(13, 16)}`, `8${digest.slice(15, 18)}`, tail].join(
    "-",
  );
}
