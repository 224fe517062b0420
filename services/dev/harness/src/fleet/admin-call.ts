import type { Run } from "@uag/local/run-file";

/** Where the admin API is, and the token for it. */
type AdminAddress = Pick<Run, "admin" | "admin_url">;

/** Sends a request to the admin API like any HTTP client, without the product's own code in between. */
export function fetchAdmin(run: AdminAddress, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${run.admin_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${run.admin.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** @throws unless the response has the expected status; default: any success */
export async function callAdmin<T>(
  run: AdminAddress,
  method: string,
  path: string,
  body?: unknown,
  expected?: number,
): Promise<T> {
  const response = await fetchAdmin(run, method, path, body);
  const text = await response.text();
  if (expected === undefined ? response.ok : response.status === expected) return JSON.parse(text) as T;
  throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
}
