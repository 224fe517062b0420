import { connectMongo } from "@uag/mongo/connect";
import { openDatabaseClock } from "@uag/mongo/database-clock";
import type { CapabilityContext } from "@uag/pipeline/context";
import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { readConfig } from "@uag/runtime/config";
import { keyringOf } from "@uag/runtime/keyring";
import { serveRpc } from "@uag/runtime/rpc/server";
import { createAssets } from "./assets/assets.ts";
import { assetRpc } from "./assets/put.ts";
import { startAssetServer } from "./assets/server.ts";
import { AssetTokens } from "./assets/token.ts";
import { openBatches } from "./batches/open-batches.ts";
import { batchOperations } from "./batches/operations.ts";
import { type MediaConfig, schema } from "./config.ts";
import { FileStore } from "./files/file-store.ts";
import { fileOperations } from "./files/operations.ts";
import { startSweeps } from "./files/sweep.ts";
import { openAssetStore, openFileStore } from "./open-store.ts";
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
      const store = resources.use(await openAssetStore(config, log));
      const tokens = new AssetTokens(keyringOf(config.ASSETS_SECRET, config.ASSETS_SECRET_PREVIOUS));
      const assets = createAssets({ store, tokens, publicUrl: config.PUBLIC_URL, ttlMs: config.ASSETS_TTL_MS });
      const { HOST: host, ASSETS_PORT: port, ASSETS_GRPC_PORT, ASSETS_MAX_BYTES: maxBytes } = config;
      const lingerMs = config.LINGER_MS;
      const http = resources.use(await startAssetServer({ host, port, store, tokens, log, lingerMs }));
      const rpc = assetRpc({ assets, maxBytes, log });
      const grpc = resources.use(await serveRpc({ host, port: ASSETS_GRPC_PORT, identity, services: [rpc] }));
      log.info({ assetsPort: http.port, assetsGrpcPort: grpc.port }, "serving assets");
      const stored = await openFiles(config, { context, resources });
      const { files, clock } = stored;
      const batches = await openBatches(config, { ...stored, context, resources, identity });
      return {
        operations: {
          ...operations({ ...context, assets }),
          ...fileOperations({ ...context, files, clock }),
          ...batchOperations(batches),
        },
        checks: { assets: store.check, files: files.objects.check, clock: clock.check },
      };
    },
  });
}

const maxPoolSize = 32;

async function openFiles(
  config: MediaConfig,
  { context, resources }: { context: CapabilityContext; resources: AsyncDisposableStack },
) {
  const { MONGODB_URL: url, MONGODB_DATABASE: database } = config;
  const connection = await connectMongo({ url, database, service: "media", maxPoolSize, readConcern: "majority" });
  resources.defer(() => connection.close());
  const clock = resources.use(await openDatabaseClock(connection, context));
  const { FILES_ACCOUNT_BYTES: maxBytes, FILES_ACCOUNT_COUNT: maxFiles, ASSETS_SWEEP_MS: everyMs } = config;
  const objects = resources.use(await openFileStore(config));
  const files = new FileStore({ connection, objects, space: { maxBytes, maxFiles }, now: () => clock.now() });
  await files.open();
  resources.use(startSweeps(files, { everyMs, log: context.log }));
  return { connection, files, clock };
}
