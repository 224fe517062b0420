import { readConfig } from "@uag/runtime/config";
import { run } from "@uag/runtime/run";
import { schema } from "./config.ts";
import { startGateway } from "./service.ts";

await run(() => startGateway(readConfig(schema)));
