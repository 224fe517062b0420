/**
 * The list with the item at its end; no list is an empty one. The first item makes an array of one:
 * an array that grows from nothing has room for 17 at once, which is more memory than most single
 * items take.
 */
export function append<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}
