import type { Provider } from "../http/types.ts";
import { voyageEmbeddings } from "./embeddings.ts";
import { voyageProtocol } from "./protocol.ts";
import { voyageRerank } from "./rerank.ts";

export const voyage: Provider = {
  name: "voyage",
  prefix: "/voyage",
  protocol: voyageProtocol,
  routes: [
    { method: "POST", path: "/v1/embeddings", operation: "embeddings", handle: voyageEmbeddings },
    { method: "POST", path: "/v1/rerank", operation: "rerank", handle: voyageRerank },
  ],
};
