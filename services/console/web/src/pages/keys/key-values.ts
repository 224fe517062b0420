import type { keyFields } from "@uag/contract/key-fields";
import type { Key } from "../../api/types.ts";
import { tagsOf } from "./keys.ts";

/** The fields of a form about a key. */
export interface KeyValues {
  key_alias: string;
  models: string[];
  /** A duration as the API takes it; empty for never, `keep` for what it is. */
  expires: string;
  rpm_limit: number | "";
  tpm_limit: number | "";
  max_parallel_requests: number | "";
  max_budget: number | string;
  /** Empty: none. */
  budget_id: string;
  tags: string[];
  /** Empty: as each model's. */
  routing_strategy: NonNullable<Key["routing_strategy"]> | "";
}

const nothing: KeyValues = {
  key_alias: "",
  models: [],
  expires: "",
  rpm_limit: "",
  tpm_limit: "",
  max_parallel_requests: "",
  max_budget: "",
  budget_id: "",
  tags: [],
  routing_strategy: "",
};

/** What the form begins with: a key as it is, or nothing. */
export function valuesOf(key?: Key): KeyValues {
  if (key === undefined) return nothing;
  return {
    key_alias: key.key_alias,
    models: key.models,
    expires: "keep",
    rpm_limit: key.rpm_limit ?? "",
    tpm_limit: key.tpm_limit ?? "",
    max_parallel_requests: key.max_parallel_requests ?? "",
    max_budget: key.max_budget ?? "",
    budget_id: key.budget_id ?? "",
    tags: tagsOf(key),
    routing_strategy: key.routing_strategy ?? "",
  };
}

/** A field of a form, where empty means none. */
export const orNull = <T>(value: T | ""): T | null => (value === "" ? null : value);

/** Fields that a form sets only when they change. */
type WhenChanged = "expires" | "routing_strategy";

type KeyBody = Readonly<
  Record<Exclude<keyof typeof keyFields, WhenChanged>, unknown> & Partial<Record<WhenChanged, unknown>>
>;

/** The body that changes a key, or makes one. What the metadata has beside the tags stays. */
export function bodyOf(values: KeyValues, key?: Key): KeyBody {
  const { tags: _, ...others } = key?.metadata ?? {};
  const { routing_strategy: strategy } = values;
  return {
    key_alias: values.key_alias,
    models: values.models,
    ...(values.expires !== "keep" && { expires: orNull(values.expires) }),
    rpm_limit: orNull(values.rpm_limit),
    tpm_limit: orNull(values.tpm_limit),
    max_parallel_requests: orNull(values.max_parallel_requests),
    max_budget: values.max_budget === "" ? null : String(values.max_budget),
    budget_id: orNull(values.budget_id),
    ...(strategy !== (key?.routing_strategy ?? "") && { routing_strategy: orNull(strategy) }),
    metadata: values.tags.length === 0 ? others : { ...others, tags: values.tags },
  };
}

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== null);

/** The body that creates a key: limits that are left empty are the person's own. */
export function newBodyOf(values: KeyValues): object {
  return Object.fromEntries(Object.entries(bodyOf(values)).filter(([, value]) => isGiven(value)));
}
