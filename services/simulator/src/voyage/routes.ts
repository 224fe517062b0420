import type { Provider } from "../http/types.ts";
import { voyageDialect } from "./dialect.ts";
import { voyageEmbeddings } from "./embeddings.ts";

export const voyage: Provider = {
  name: "voyage",
  prefix: "/voyage",
  dialect: voyageDialect,
  routes: [{ method: "POST", path: "/v1/embeddings", operation: "embeddings", handle: voyageEmbeddings }],
};
