import type { Provider, Route } from "./types.ts";

export interface Match {
  readonly provider: Provider;
  readonly route: Route;
  readonly params: { readonly [name: string]: string };
}
/** The path belongs to the provider, but nothing is served there. */
export interface Miss {
  readonly provider: Provider;
  readonly route?: undefined;
}

interface Row {
  readonly provider: Provider;
  readonly route: Route;
  readonly pattern: RegExp;
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>[^/]+?)")}$`);
}

function decoded(groups: Record<string, string> | undefined): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(groups ?? {})) {
    try {
      params[name] = decodeURIComponent(value);
    } catch {
      // An invalid escape sequence: the operation gets the raw text.
      params[name] = value;
    }
  }
  return params;
}

/** Finds the operation of a method and path; undefined when the path belongs to no provider. */
export function createRouter(
  providers: readonly Provider[],
): (method: string, path: string) => Match | Miss | undefined {
  const rows: Row[] = providers.flatMap((provider) =>
    provider.routes.map((route) => ({ provider, route, pattern: patternOf(provider.prefix + route.path) })),
  );
  return (method, path) => {
    for (const { provider, route, pattern } of rows) {
      if (route.method !== method) continue;
      const match = pattern.exec(path);
      if (match !== null) return { provider, route, params: decoded(match.groups) };
    }
    const owner = providers.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    return owner === undefined ? undefined : { provider: owner };
  };
}
