/**
 * The part of this process's environment that an engine gets: enough to run, without any secrets.
 */
export function engineEnv(): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
