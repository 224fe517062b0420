/** The name by which the server knows this database's metering connections. */
export function applicationName(database: string): string {
  return `metering/${database}`.slice(0, 128);
}
