import { namesOf } from "@uag/catalog/names";
import { key as keySchema } from "@uag/contract/responses/admin";
import { budget as budgetSchema } from "@uag/contract/responses/admin-budgets";
import { catalogModel } from "@uag/contract/responses/admin-fleet";
import { account } from "@uag/contract/responses/admin-money";
import { provider as providerSchema, providerTemplate } from "@uag/contract/responses/admin-providers";
import type { z } from "zod";
import type { AdminApi, Query } from "../commands/admin-api.ts";

const shownAccount = account.pick({ id: true, topped_up_usd: true });
const shownBudget = budgetSchema.pick({ id: true, account_id: true, name: true, parent_id: true });
const shownKey = keySchema.pick({ id: true, account_id: true, metadata: true });
const shownProvider = providerSchema.pick({ id: true, base_url: true, credentials: true });
const shownModel = catalogModel.pick({ id: true, aliases: true, revision: true, fallbacks: true, providers: true });

type LiveKey = z.infer<typeof shownKey>;
export type LiveModel = z.infer<typeof shownModel>;

/** What the gateway has before the import. */
export interface Live {
  readonly budgets: readonly z.infer<typeof shownBudget>[];
  readonly accounts: ReadonlyMap<string, z.infer<typeof shownAccount>>;
  /** Keys by `metadata.imported_from`, revoked ones included. */
  readonly imported: ReadonlyMap<string, LiveKey>;
  readonly providers: ReadonlyMap<string, z.infer<typeof shownProvider>>;
  /** Base URLs of what a provider may start from. */
  readonly templates: ReadonlyMap<string, string>;
  /** Models by each of their names. */
  readonly models: ReadonlyMap<string, LiveModel>;
}

async function all<T>(api: AdminApi, path: string, schema: z.ZodType<T>, query?: Query): Promise<T[]> {
  const found: T[] = [];
  for await (const row of api.rows(path, query)) found.push(schema.parse(row));
  return found;
}

const unpaged = { limit: undefined };

export async function readLive(api: AdminApi): Promise<Live> {
  const keys = await all(api, "/keys", shownKey, { include_revoked: "true" });
  const accounts = await all(api, "/accounts", shownAccount);
  const models = await all(api, "/models", shownModel);
  const providers = await all(api, "/providers", shownProvider, unpaged);
  const templates = await all(api, "/provider-templates", providerTemplate, unpaged);
  return {
    accounts: new Map(accounts.map((each) => [each.id, each])),
    budgets: await all(api, "/budgets", shownBudget),
    imported: new Map(
      keys.flatMap((key): [string, LiveKey][] => {
        const { imported_from: origin } = key.metadata;
        return typeof origin === "string" ? [[origin, key]] : [];
      }),
    ),
    providers: new Map(providers.map((provider) => [provider.id, provider])),
    templates: new Map(templates.map(({ id, base_url: baseUrl }) => [id, baseUrl])),
    models: new Map(models.flatMap((model) => namesOf(model).map((name): [string, LiveModel] => [name, model]))),
  };
}
