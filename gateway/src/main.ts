import { readConfig } from "@uag/kit/config.ts";
import { run } from "@uag/kit/run.ts";
import { schema } from "./config.ts";
import { startGateway } from "./service.ts";

await run(() => startGateway(readConfig(schema)));
