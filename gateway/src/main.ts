import { readConfig } from "@uag/runtime/config";
import { run } from "@uag/runtime/run";
import { schema } from "./config.ts";
import { startRouter } from "./service.ts";

await run(() => startRouter(readConfig(schema)));
