import type { Connection, Model } from "mongoose";
import { type AccountDocument, accountModel } from "./accounts.ts";
import { type GrantDocument, grantModel } from "./grants.ts";
import { type HolderDocument, holderModel } from "./holders.ts";
import { type KeyDocument, keyModel } from "./keys.ts";
import { type EntryDocument, ledgerModel } from "./ledger.ts";
import { type LimitHolderDocument, limitHolderModel } from "./limit-holders.ts";
import { type LimitPoolDocument, limitPoolModel } from "./limit-pools.ts";

/** Billing's collections. */
export interface Store {
  readonly connection: Connection;
  readonly accounts: Model<AccountDocument>;
  readonly grants: Model<GrantDocument>;
  readonly holders: Model<HolderDocument>;
  readonly keys: Model<KeyDocument>;
  readonly ledger: Model<EntryDocument>;
  readonly limitHolders: Model<LimitHolderDocument>;
  readonly limitPools: Model<LimitPoolDocument>;
}

/** Opens the collections and makes sure they and their indexes exist: uniqueness is part of what the books promise. */
export async function openStore(connection: Connection): Promise<Store> {
  const store: Store = {
    connection,
    accounts: accountModel(connection),
    grants: grantModel(connection),
    holders: holderModel(connection),
    keys: keyModel(connection),
    ledger: ledgerModel(connection),
    limitHolders: limitHolderModel(connection),
    limitPools: limitPoolModel(connection),
  };
  const models: Pick<Model<unknown>, "createCollection" | "createIndexes">[] = [
    store.accounts,
    store.grants,
    store.holders,
    store.keys,
    store.ledger,
    store.limitHolders,
    store.limitPools,
  ];
  for (const model of models) {
    await model.createCollection();
    await model.createIndexes();
  }
  return store;
}
