import { z } from "zod";
import { flag, number, object, tablesOf, text } from "../dump/tables.ts";

/** The elements of a PostgreSQL array of texts: `{a,"b c"}`. */
function elementsOf(text: string): string[] {
  const found: string[] = [];
  let element = "";
  let quoted = false;
  for (let i = 1; i < text.length - 1; i++) {
    const character = text[i] as string;
    if (character === "\\") element += text[++i];
    else if (character === '"') quoted = !quoted;
    else if (character === "," && !quoted) {
      found.push(element);
      element = "";
    } else element += character;
  }
  return text.length > 2 ? [...found, element] : [];
}

const array = z
  .string()
  .nullish()
  .transform((value) => (value ? elementsOf(value) : []));
const limits = { tpm_limit: number, rpm_limit: number, max_parallel_requests: number };
const money = { max_budget: number, budget_duration: text };

/** LiteLLM's tables, without `LiteLLM_`, as far as they are imported: `litellm/proxy/schema.prisma`. */
const schemas = {
  BudgetTable: z.object({ budget_id: z.string(), ...money, ...limits }),
  OrganizationTable: z.object({
    organization_id: z.string(),
    organization_alias: text,
    budget_id: text,
    models: array,
    spend: number,
  }),
  TeamTable: z.object({
    team_id: z.string(),
    team_alias: text,
    organization_id: text,
    models: array,
    spend: number,
    blocked: flag,
    model_id: text,
    ...money,
    ...limits,
  }),
  ProjectTable: z.object({
    project_id: z.string(),
    project_alias: text,
    team_id: text,
    budget_id: text,
    models: array,
    spend: number,
    blocked: flag,
  }),
  VerificationToken: z.object({
    token: z.string(),
    key_name: text,
    key_alias: text,
    spend: number,
    expires: text,
    models: array,
    aliases: object,
    team_id: text,
    project_id: text,
    organization_id: text,
    user_id: text,
    metadata: object,
    blocked: flag,
    model_max_budget: object,
    allowed_routes: array,
    budget_id: text,
    ...money,
    ...limits,
  }),
  ProxyModelTable: z.object({
    model_name: z.string(),
    litellm_params: object,
    model_info: object,
    blocked: flag,
  }),
  ModelTable: z.object({ id: z.string(), aliases: object }),
  UserTable: z.object({ user_id: z.string(), max_budget: number }),
  EndUserTable: z.object({ user_id: z.string(), budget_id: text }),
  TeamMembership: z.object({ user_id: z.string(), team_id: z.string(), budget_id: text }),
  SpendLogs: z.object({
    request_id: z.string(),
    api_key: text,
    spend: number,
    prompt_tokens: number,
    completion_tokens: number,
    startTime: z.string(),
    model: text,
    model_group: text,
    metadata: object,
    cache_hit: text,
    status: text,
  }),
} as const;

export type RowOf<T extends keyof typeof schemas> = z.output<(typeof schemas)[T]>;

export const tables = tablesOf(schemas, "LiteLLM_");
