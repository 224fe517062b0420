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
  tags: string[];
}

const nothing: KeyValues = {
  key_alias: "",
  models: [],
  expires: "",
  rpm_limit: "",
  tpm_limit: "",
  max_parallel_requests: "",
  max_budget: "",
  tags: [],
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
    tags: tagsOf(key),
  };
}

const orNull = <T>(value: T | ""): T | null => (value === "" ? null : value);

/** A form sets every field of a key; the expiry only when it changes. */
type KeyBody = Readonly<Record<Exclude<keyof typeof keyFields, "expires">, unknown> & { expires?: unknown }>;

/** The body that changes a key. What the metadata has beside the tags stays. */
export function bodyOf(values: KeyValues, metadata: Key["metadata"] = {}): KeyBody {
  const { tags: _, ...others } = metadata;
  return {
    key_alias: values.key_alias,
    models: values.models,
    ...(values.expires !== "keep" && { expires: orNull(values.expires) }),
    rpm_limit: orNull(values.rpm_limit),
    tpm_limit: orNull(values.tpm_limit),
    max_parallel_requests: orNull(values.max_parallel_requests),
    max_budget: values.max_budget === "" ? null : String(values.max_budget),
    metadata: values.tags.length === 0 ? others : { ...others, tags: values.tags },
  };
}

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== null);

/** The body that creates a key: limits that are left empty are the person's own. */
export function newBodyOf(values: KeyValues): object {
  return Object.fromEntries(Object.entries(bodyOf(values)).filter(([, value]) => isGiven(value)));
}
