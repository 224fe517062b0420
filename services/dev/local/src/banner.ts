import type { ProviderState } from "./providers.ts";
import type { Run } from "./run-file.ts";

const model = "gpt-4o-mini";

/** A one-line command that works when pasted into a shell. */
function curlLine(run: Run): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return `curl ${run.base_url}/v1/chat/completions -H 'authorization: Bearer ${run.api_key}' -H 'content-type: application/json' -d '${body}'`;
}

/** Pages and servers for people; the banner lists those that respond. */
const extras: readonly { name: string; urlOf(run: Run): string; noteOf?(run: Run): string }[] = [
  {
    name: "Console",
    urlOf: (run) => run.console_url,
    noteOf: ({ admin }) => `   (${admin.email}, first password ${admin.password})`,
  },
  { name: "MCP", urlOf: (run) => run.mcp_url },
  { name: "Docs", urlOf: (run) => `${run.base_url}/docs` },
];

const responseMs = 2_000;

async function isServed(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(responseMs), redirect: "manual" }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response !== undefined && response.status !== 404 && response.status < 500;
}

/** Which providers are real, which are simulated, and how a simulated one becomes real. */
export function providerLines(providers: readonly ProviderState[]): string {
  const withVariable = ({ name, variable }: ProviderState): string => `${name} (${variable})`;
  const titles = { real: "Real", simulated: "Simulated", "without key": "No key" } as const;
  const lines = Object.entries(titles).flatMap(([state, title]) => {
    const those = providers.filter((provider) => provider.state === state);
    const names = those.map((provider) => (state === "real" ? provider.name : withVariable(provider)));
    return those.length === 0 ? [] : [`  ${title.padEnd(10)} ${names.join(", ")}\n`];
  });
  const [first] = providers.filter(({ state }) => state !== "real");
  const hint =
    first === undefined
      ? ""
      : `\n  A simulated provider's responses are invented. Start with its key for the real one: ${first.variable}=... npm start\n`;
  return lines.length === 0 ? "" : `\nModel providers:\n\n${lines.join("")}${hint}`;
}

/**
 * What a person needs to know about a fleet that just became ready. Lists nothing that does not
 * respond.
 */
export async function banner(
  { run, providers }: { readonly run: Run; readonly providers: readonly ProviderState[] },
  seconds: number,
): Promise<string> {
  const served = await Promise.all(extras.map(({ urlOf }) => isServed(urlOf(run))));
  const lines = extras
    .filter((_, index) => served[index])
    .map(({ name, urlOf, noteOf }) => `  ${name.padEnd(10)} ${urlOf(run)}${noteOf?.(run) ?? ""}\n`);
  return `
Ready in ${seconds.toFixed(1)} s.

  Base URL   ${run.base_url}
  API key    ${run.api_key}
  Admin API  ${run.admin_url}   (bearer token ${run.admin.token})
${lines.join("")}${providerLines(providers)}
Try it:

  export API_KEY=${run.api_key}

  ${curlLine(run)}

Ctrl-C stops everything.
`;
}
