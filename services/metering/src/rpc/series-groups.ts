import type { SeriesGroup, SeriesPoint } from "@uag/proto/metering/v1/metering.ts";
import { Pace } from "@uag/runtime/pace";
import { addRow, type Row, rowOf, type Sums, toMeasures } from "./series-sums.ts";

/**
 * The groups of a series in the order of `top`, then the group of all others, in turns of the event
 * loop.
 * @param found oldest first
 */
export async function groupsOf(found: AsyncIterable<Row>, top: readonly string[]): Promise<SeriesGroup[]> {
  const pace = new Pace();
  const byGroup = new Map<string | null, { total: Sums; readonly points: SeriesPoint[] }>();
  for await (const row of found) {
    const sums = rowOf(row);
    const { start, group } = row._id;
    const point = { startMs: BigInt(start.getTime()), measures: toMeasures(sums) };
    const known = byGroup.get(group);
    if (known === undefined) byGroup.set(group, { total: sums, points: [point] });
    else {
      known.total = addRow(known.total, sums);
      known.points.push(point);
    }
    if (pace.isOver) await pace.rest();
  }
  return [...top, null].flatMap((name): SeriesGroup[] => {
    const { total, points } = byGroup.get(name) ?? {};
    if (total === undefined || points === undefined) return [];
    return [{ name: name ?? "", other: name === null, total: toMeasures(total), points }];
  });
}
