/**
 * Address of an engine that `npm test` starts.
 * @throws {Error} when none was started
 */
export function engineUrl(name: "TEST_MONGODB_URL" | "TEST_NATS_URL"): string {
  const url = process.env[name];
  if (url) return url;
  throw new Error(`Set ${name} to a running server (MongoDB as a replica set), or run "npm test", which starts both.`);
}
