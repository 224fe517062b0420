/**
 * The parts of V8's .cpuprofile format that are read here. Times are microseconds of the monotonic
 * clock.
 */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  readonly name: string;
  readonly us: number;
}

/** A process's time by function, file and package, largest first. */
export interface ProfileSummary {
  /** All but idle time. */
  readonly busyUs: number;
  readonly packages: readonly SelfTime[];
  readonly files: readonly SelfTime[];
  readonly functions: readonly SelfTime[];
}

/**
 * Adds up self time within a window of the monotonic clock, so that start-up and warm-up can be
 * left out.
 */
export function summarizeProfile(
  profile: CpuProfile,
  window: { readonly fromUs: number; readonly toUs: number },
): ProfileSummary {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const packages = new Map<string, number>();
  const files = new Map<string, number>();
  const functions = new Map<string, number>();
  let busyUs = 0;
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    now += profile.timeDeltas[index] ?? 0;
    // Each sample counts until the next one.
    const us = profile.timeDeltas[index + 1] ?? 0;
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)" || now < window.fromUs || now > window.toUs) continue;
    const place = placeOf(frame.url);
    busyUs += us;
    add(packages, place.package, us);
    add(files, place.file, us);
    const line = frame.url === "" ? "" : ` ${place.file}:${frame.lineNumber + 1}`;
    add(functions, `${frame.functionName === "" ? "(anonymous)" : frame.functionName}${line}`, us);
  }
  return { busyUs, packages: ranked(packages), files: ranked(files), functions: ranked(functions) };
}

/** The package and file of a script's URL: short names that are the same on every machine. */
export function placeOf(url: string): { readonly package: string; readonly file: string } {
  if (url === "") return { package: "(native, garbage collector)", file: "(native, garbage collector)" };
  if (url.startsWith("node:")) return { package: "node", file: url };
  const path = url.replace(/^file:\/\//, "");
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(path);
  if (installed !== null) return { package: installed[1]!, file: `${installed[1]}/${installed[2]}` };
  const own = /\/((?:services\/(?:(?:lib|dev)\/)?[^/]+|gateway|proto|scripts\/[^/]+)\/.*)$/.exec(path)?.[1];
  if (own === undefined) return { package: path, file: path };
  return {
    package: /^(?:services\/(?:lib\/|dev\/)?[^/]+|scripts\/[^/]+|[^/]+)/.exec(own)?.[0] ?? own,
    file: own,
  };
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us);
}

function ranked(sums: ReadonlyMap<string, number>): SelfTime[] {
  return [...sums].map(([name, us]) => ({ name, us })).sort((a, b) => b.us - a.us);
}
