import { z } from "zod";
import { flag, number, object, tablesOf, text } from "../dump/tables.ts";

const count = z.coerce.number();

/** Tables of new-api, as far as they are imported: its `model/*.go`. */
const schemas = {
  options: z.object({ key: z.string(), value: text }),
  channels: z.object({
    id: count,
    type: count,
    key: z.string(),
    status: count,
    created_time: number,
    name: z.string(),
    weight: number,
    priority: number,
    base_url: text,
    models: text,
    group: text,
    model_mapping: object,
    /** Since 0.8.5. */
    channel_info: object.optional(),
  }),
  users: z.object({
    id: count,
    username: z.string(),
    display_name: text,
    status: count,
    quota: count,
    group: text,
    deleted_at: text,
  }),
  tokens: z.object({
    id: count,
    user_id: count,
    key: z.string(),
    status: count,
    name: text,
    expired_time: count,
    remain_quota: count,
    unlimited_quota: flag,
    model_limits_enabled: flag,
    model_limits: text,
    allow_ips: text,
    group: text,
    deleted_at: text,
  }),
  logs: z.object({
    id: count,
    created_at: count,
    type: count,
    model_name: text,
    quota: count,
    prompt_tokens: count,
    completion_tokens: count,
    use_time: number,
    token_id: number,
    /** Of new-api, in its header `X-Oneapi-Request-Id`; newer versions only. */
    request_id: text,
    other: object,
  }),
} as const;

export type RowOf<T extends keyof typeof schemas> = z.output<(typeof schemas)[T]>;

export const tables = tablesOf(schemas);

/** The status of a channel, a user or a token that works. */
export const enabled = 1;

/** The elements of a list such as `default,vip`. */
export const listOf = (list: string | null | undefined): string[] =>
  (list ?? "")
    .split(",")
    .map((element) => element.trim())
    .filter((element) => element !== "");
