import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { inProcess } from "@uag/runtime/rpc/in-process";
import type { Service } from "@uag/runtime/run";
import { readServices } from "./single-process.ts";

/** What each bundled service exports; see build-services.ts. */
interface ServiceModule {
  startService(env: NodeJS.ProcessEnv): Promise<Service>;
}

/** Loads a service from the folder of this process's program. */
async function load(name: string): Promise<ServiceModule> {
  const [, program = ""] = process.argv;
  return await import(pathToFileURL(join(dirname(program), `${name}.service.js`)).href);
}

/**
 * Starts the services that the environment lists, concurrently, each with the environment that it
 * would have in a process of its own. Their calls to one another stay within the process. Disposing
 * stops them in reverse order, each before the next.
 * @throws when one of them cannot start
 */
export async function startServices(): Promise<Service> {
  const shared = readServices(process.env);
  const { HOST } = process.env;
  inProcess.share(
    shared.flatMap(({ env: { GRPC_PORT } }) => (GRPC_PORT === undefined ? [] : [`${HOST}:${GRPC_PORT}`])),
  );
  const starting = shared.map(async ({ name, env }) => {
    const { startService } = await load(name);
    return await startService({ ...process.env, ...env });
  });
  const services = await Promise.all(starting);
  return {
    drainMs: services.reduce((sum, { drainMs = 0 }) => sum + drainMs, 0),
    async [Symbol.asyncDispose]() {
      for (const service of services.toReversed()) await service[Symbol.asyncDispose]();
    },
  };
}
