import { isDeepStrictEqual } from "node:util";
import { parse, stringify, YAMLParseError } from "yaml";
import { z } from "zod";
import { CatalogError } from "./catalog-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A provider or a model as operators changed it in a running gateway. */
export interface ChangedEntry {
  readonly id: string;
  /** The catalogue's file has it; otherwise it was added. */
  readonly source: "file" | "runtime";
  readonly enabled: boolean;
  readonly revision: number;
  /** Fields of its row: those that were changed, or all of one that was added. */
  readonly fields: Fields;
}

const entries = z
  .record(z.string(), z.looseObject({ enabled: z.boolean().optional() }))
  .nullish()
  .transform((value) => value ?? {});

/** A file of changes: by the provider's or the model's id, its fields, and `enabled: false` if it is disabled. */
const schema = z.strictObject({ providers: entries, models: entries });

/** What a file of changes has. */
export type ChangesFile = z.output<typeof schema>;

/** Fields that the gateway sets itself. */
const own = new Set(["id", "api_key", "created"]);

const shown = ({ id, enabled, fields }: ChangedEntry): [string, Fields] => [
  id,
  {
    ...(!enabled && { enabled }),
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => !own.has(field))),
  },
];

/** The file of these changes, YAML: the same for the same changes. */
export const changesText = (changes: {
  readonly providers: readonly ChangedEntry[];
  readonly models: readonly ChangedEntry[];
}): string =>
  stringify(
    {
      providers: Object.fromEntries(changes.providers.map(shown)),
      models: Object.fromEntries(changes.models.map(shown)),
    },
    { sortMapEntries: true },
  );

/** @throws {CatalogError} when the text is not a file of changes */
export function readChanges(text: string): ChangesFile {
  try {
    return schema.parse(parse(text, { merge: true }));
  } catch (error) {
    if (error instanceof YAMLParseError) throw new CatalogError(`It is not YAML: ${error.message}`, { cause: error });
    if (!(error instanceof z.ZodError)) throw error;
    throw new CatalogError(`It is not a file of changes:\n${z.prettifyError(error)}`, { cause: error });
  }
}

/** A call that brings a running gateway closer to a file of changes. */
export interface PlannedChange {
  readonly kind: "providers" | "models";
  readonly id: string;
  readonly action: "create" | "update" | "delete";
  /** For an update: the revision that it is based on. */
  readonly revision: number;
  /** Fields to set; null: as in the catalogue's file, or the default. Of an update only those that differ. */
  readonly fields: Fields;
  /** The fields' present values, for the plan. */
  readonly before: Fields;
}

/** What is in force, and what the file has, of one kind. */
interface Compared {
  readonly kind: PlannedChange["kind"];
  readonly wanted: ChangesFile["models"];
  readonly current: readonly ChangedEntry[];
  /** Ids of the catalogue's file. */
  readonly inFile: ReadonlySet<string>;
}

/** The fields that differ. A price cannot be taken back: the last one stays in force. */
function differences(wanted: Fields, current: Fields): Fields {
  const set = Object.entries(wanted).filter(([field, value]) => !isDeepStrictEqual(value, current[field]));
  const gone = Object.keys(current).filter((field) => !(field in wanted) && !own.has(field) && field !== "price");
  return Object.fromEntries([...set, ...gone.map((field) => [field, null])]);
}

const present = (entry: ChangedEntry | undefined): Fields =>
  entry === undefined ? { enabled: true } : { ...entry.fields, enabled: entry.enabled };

function wantedChanges({ kind, wanted, current, inFile }: Compared): PlannedChange[] {
  return Object.entries(wanted).flatMap(([id, { enabled = true, ...fields }]): PlannedChange[] => {
    const entry = current.find((each) => each.id === id);
    const before = present(entry);
    if (entry === undefined && !inFile.has(id))
      return [{ kind, id, action: "create", revision: 0, fields: { ...fields, enabled }, before: {} }];
    const changed = differences({ ...fields, enabled }, before);
    const update = { kind, id, action: "update", revision: entry?.revision ?? 0, fields: changed, before } as const;
    return Object.keys(changed).length === 0 ? [] : [update];
  });
}

function pruned({ kind, wanted, current }: Compared): PlannedChange[] {
  const left = current.filter(({ id }) => !Object.hasOwn(wanted, id));
  return left.flatMap((entry): PlannedChange[] => {
    const { id, revision } = entry;
    const before = present(entry);
    if (entry.source === "runtime") return [{ kind, id, action: "delete", revision, fields: {}, before }];
    const fields = differences({ enabled: true }, before);
    return Object.keys(fields).length === 0 ? [] : [{ kind, id, action: "update", revision, fields, before }];
  });
}

/**
 * The calls that make a running gateway have what a file of changes has, in an order in which each
 * is valid: providers before their models, and deleted after them.
 * @param prune also take back what the file does not have
 */
export function planChanges(
  file: ChangesFile,
  live: {
    readonly providers: readonly ChangedEntry[];
    readonly models: readonly ChangedEntry[];
    readonly fileProviders: ReadonlySet<string>;
    readonly fileModels: ReadonlySet<string>;
  },
  prune: boolean,
): PlannedChange[] {
  const { fileProviders, fileModels } = live;
  const providers = {
    kind: "providers",
    wanted: file.providers,
    current: live.providers,
    inFile: fileProviders,
  } as const;
  const models = { kind: "models", wanted: file.models, current: live.models, inFile: fileModels } as const;
  const removed = prune ? [...pruned(models), ...pruned(providers)] : [];
  return [...wantedChanges(providers), ...wantedChanges(models), ...removed];
}
