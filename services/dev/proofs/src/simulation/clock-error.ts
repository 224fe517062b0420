const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The error of a wrong wall clock, milliseconds: 14 h or 400 days ahead, any within 400 days, or none. */
export const clockError = (random: (below: number) => number): number =>
  [0, 14 * hourMs, 400 * dayMs, random(800 * dayMs) - 400 * dayMs][random(4)] as number;
