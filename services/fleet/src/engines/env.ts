/** What an engine gets of this process's environment: enough to run, none of its secrets. */
export function engineEnv(): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
