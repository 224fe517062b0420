import type { Run } from "./run-file.ts";

const model = "gpt-4o-mini";

/** One line that answers when it is pasted into a shell. */
export function curlLine(run: Run): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return `curl ${run.base_url}/v1/chat/completions -H 'authorization: Bearer ${run.api_key}' -H 'content-type: application/json' -d '${body}'`;
}

/** What a person needs to know of a fleet that has just become ready. */
export function banner(run: Run, seconds: number): string {
  return `
Ready in ${seconds.toFixed(1)} s.

  Base URL   ${run.base_url}
  API key    ${run.api_key}
  Admin API  ${run.admin_url}   (bearer token ${run.admin.token})
  Console    ${run.console_url}   (not served yet)
  MCP        ${run.mcp_url}   (not served yet)

Try it:

  ${curlLine(run)}

Ctrl-C stops everything.
`;
}
