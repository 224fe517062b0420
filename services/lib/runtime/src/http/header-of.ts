/**
 * The first value of a header in a list of alternating names and values, names in lower case.
 * @param name in lower case
 */
export function headerOf(list: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < list.length; i += 2) if (list[i] === name) return list[i + 1];
  return undefined;
}
