import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { readConfig } from "@uag/runtime/config";
import { keyringOf } from "@uag/runtime/keyring";
import { serveRpc } from "@uag/runtime/rpc/server";
import { createAssets } from "./assets/assets.ts";
import { assetRpc } from "./assets/put.ts";
import { startAssetServer } from "./assets/server.ts";
import { AssetTokens } from "./assets/token.ts";
import { schema } from "./config.ts";
import { openStore } from "./open-store.ts";
import { operations } from "./operations.ts";

/**
 * Starts media as configured by the environment; resolves when it serves. Disposing finishes
 * requests in flight, including their bills.
 */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<CapabilityService> {
  const config = readConfig(schema, env);
  return await startCapability({
    name: "media",
    settings: config,
    env,
    async build(context, resources, _tasks, identity) {
      const { log } = context;
      const store = resources.use(await openStore(config, log));
      const tokens = new AssetTokens(keyringOf(config.ASSETS_SECRET, config.ASSETS_SECRET_PREVIOUS));
      const assets = createAssets({ store, tokens, publicUrl: config.PUBLIC_URL, ttlMs: config.ASSETS_TTL_MS });
      const { HOST: host, ASSETS_PORT: port, ASSETS_GRPC_PORT, ASSETS_MAX_BYTES: maxBytes } = config;
      const lingerMs = config.LINGER_MS;
      const http = resources.use(await startAssetServer({ host, port, store, tokens, log, lingerMs }));
      const rpc = assetRpc({ assets, maxBytes, log });
      const grpc = resources.use(await serveRpc({ host, port: ASSETS_GRPC_PORT, identity, services: [rpc] }));
      log.info({ assetsPort: http.port, assetsGrpcPort: grpc.port }, "serving assets");
      return { operations: operations({ ...context, assets }), checks: { assets: store.check } };
    },
  });
}
