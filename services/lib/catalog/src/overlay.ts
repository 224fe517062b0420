/** A provider or a model as operators changed it in the running gateway. */
export interface OverlayEntry {
  /** The provider's name, or the model's id. */
  readonly name: string;
  /** A disabled entry gets no new requests; tasks under way are still polled. */
  readonly enabled: boolean;
  /** `fields` is the whole row, in place of any that the file has under this name. */
  readonly added: boolean;
  /** Fields of the catalogue's row that replace those of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A provider's credential that operators keep in the running gateway. */
export interface OverlayCredential {
  readonly id: string;
  /** The provider's name. */
  readonly provider: string;
  /** For people; may be empty. */
  readonly name: string;
  /** A disabled credential is used only for tasks that were created with it. */
  readonly enabled: boolean;
  readonly weight: number;
  readonly priority: number;
  /** The account at the provider; empty: one of its own. */
  readonly account: string;
  /** The most that it may spend in a day and in a month (UTC); absent or 0: no cap. */
  readonly dailyCapUsd?: number;
  readonly monthlyCapUsd?: number;
  /** The API key; a text with references is resolved like one of the file. */
  readonly secret: { readonly value: string } | { readonly reference: string };
}

/** What operators changed in the running gateway, on top of the file. */
export interface CatalogOverlay {
  /** Grows with every change; 0: nothing was ever changed. */
  readonly version: number;
  readonly providers: readonly OverlayEntry[];
  readonly models: readonly OverlayEntry[];
  /** Oldest first: all of a provider's enabled ones are used, in place of the file's. */
  readonly credentials: readonly OverlayCredential[];
}

/** The overlay of a gateway in which nothing was changed. */
export const noOverlay: CatalogOverlay = { version: 0, providers: [], models: [], credentials: [] };

/** The overlay with everything enabled, so that the catalogue has what is disabled too. */
export const allEnabled = ({ providers, models, credentials, version }: CatalogOverlay): CatalogOverlay => ({
  version,
  providers: providers.map((provider) => ({ ...provider, enabled: true })),
  models: models.map((model) => ({ ...model, enabled: true })),
  credentials: credentials.map((credential) => ({ ...credential, enabled: true })),
});

type Row = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The file's row with a change on top; undefined for a change of a row that the file does not have. */
function changed(own: unknown, { added, fields }: OverlayEntry): Row | undefined {
  if (added) return fields;
  return isObject(own) ? { ...own, ...fields } : undefined;
}

function withProviders(own: Row, changes: readonly OverlayEntry[]): Row {
  const providers: Record<string, unknown> = { ...own };
  for (const change of changes) {
    const row = changed(Object.hasOwn(own, change.name) ? own[change.name] : undefined, change);
    if (row !== undefined) providers[change.name] = row;
  }
  return providers;
}

/** A changed row without the upstreams whose provider is gone; undefined when none is left. */
function served(row: Row, providers: Row): Row | undefined {
  const { upstreams } = row;
  if (!Array.isArray(upstreams)) return row;
  const left = upstreams.filter((each) => isObject(each) && Object.hasOwn(providers, String(each["provider"])));
  return left.length === 0 ? undefined : { ...row, upstreams: left };
}

const idOf = (row: unknown): unknown => (isObject(row) ? row["id"] : undefined);

const aliasesOf = (row: unknown): readonly unknown[] => {
  const aliases = isObject(row) ? row["aliases"] : undefined;
  return Array.isArray(aliases) ? aliases : [];
};

/** A changed row without the aliases that the file has given to another of its models since. */
function withOwnNames(row: Row, own: readonly unknown[]): Row {
  const others = own.filter((each) => idOf(each) !== row["id"]);
  const taken = new Set<unknown>(others.flatMap((each) => [idOf(each), ...aliasesOf(each)]));
  const free = aliasesOf(row).filter((alias) => !taken.has(alias));
  return free.length === aliasesOf(row).length ? row : { ...row, aliases: free };
}

/** A changed row without the fallbacks that no longer exist. */
function withKnownFallbacks(row: Row, ids: ReadonlySet<unknown>): Row {
  const { fallbacks } = row;
  if (!Array.isArray(fallbacks) || fallbacks.every((id) => ids.has(id))) return row;
  return { ...row, fallbacks: fallbacks.filter((id) => ids.has(id)) };
}

function withModels(own: readonly unknown[], changes: readonly OverlayEntry[], providers: Row): unknown[] {
  const byId = new Map<unknown, OverlayEntry>(changes.map((change) => [change.name, change]));
  const rowOf = (row: unknown, change: OverlayEntry): Row | undefined => {
    const after = changed(row, change);
    return after && served(withOwnNames(after, own), providers);
  };
  const rows = own.map((row) => {
    const change = byId.get(idOf(row));
    return (change && rowOf(row, change)) ?? row;
  });
  const ids = new Set(own.map(idOf));
  const added = changes.filter(({ name }) => !ids.has(name)).map((change) => rowOf(undefined, change));
  const all = [...rows, ...added.filter((row) => row !== undefined)];
  const known = new Set(all.map(idOf));
  return all.map((row) => (byId.has(idOf(row)) && isObject(row) ? withKnownFallbacks(row, known) : row));
}

/**
 * The file's content with the overlay's providers and models on top. Changes of a row that the file
 * no longer has are left out, so that an edit of the file cannot invalidate the overlay.
 */
export function withOverlay(content: unknown, overlay: CatalogOverlay): unknown {
  if (!isObject(content) || !isObject(content["providers"]) || !Array.isArray(content["models"])) return content;
  const providers = withProviders(content["providers"], overlay.providers);
  if (overlay.models.length === 0) return { ...content, providers };
  return { ...content, providers, models: withModels(content["models"], overlay.models, providers) };
}
