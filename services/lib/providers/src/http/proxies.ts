/** Proxies for calls to upstreams, from the environment. Empty: none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that are called directly, as in NO_PROXY. */
  readonly except: string;
}

export const noProxies: Proxies = { http: "", https: "", except: "" };

/** This machine is never behind a proxy. */
const ownMachine = "localhost,127.0.0.1,::1";

/**
 * The proxies of an environment, under the usual variable names; lower-case ones take precedence.
 * @throws {Error} for one that is not an http or https URL
 */
export function proxiesOf(env: NodeJS.ProcessEnv): Proxies {
  const https = checked("HTTPS_PROXY", env);
  const http = checked("HTTP_PROXY", env);
  if (http === "" && https === "") return noProxies;
  return { http, https, except: `${read("NO_PROXY", env)},${ownMachine}` };
}

function read(name: string, env: NodeJS.ProcessEnv): string {
  return env[name.toLowerCase()] || env[name] || "";
}

function checked(name: string, env: NodeJS.ProcessEnv): string {
  const text = read(name, env);
  if (text === "") return text;
  // Does not quote the value: it may contain a password.
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new Error(`${name} is not an http or https URL`);
}
