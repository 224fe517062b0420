// Imported by a test's child process (NODE_OPTIONS=--import): sets its clock by CLOCK_SKEW_MS.

const skewMs = Number(process.env["CLOCK_SKEW_MS"] ?? 0);
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...of: unknown[]) {
    super(...((of.length === 0 ? [RealDate.now() + skewMs] : of) as [number]));
  }

  static override now(): number {
    return RealDate.now() + skewMs;
  }
}

// Libraries know the class by its name.
Object.defineProperty(SkewedDate, "name", { value: "Date" });
globalThis.Date = SkewedDate as DateConstructor;
