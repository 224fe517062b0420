/**
 * Appends an item to a list, which may be undefined. The first item creates an array of one,
 * because an array that grows from empty reserves room for 17 items, more memory than most single
 * items take.
 */
export function append<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}
