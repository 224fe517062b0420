import { z } from "zod";
import { UnknownFault } from "./faults/catalogue.ts";
import { faultsFromText } from "./faults/parse.ts";

function parseFaults(text: string, context: z.RefinementCtx): ReturnType<typeof faultsFromText> {
  try {
    return faultsFromText(text);
  } catch (cause) {
    if (!(cause instanceof UnknownFault)) throw cause;
    context.addIssue({ code: "custom", message: cause.message });
    return z.NEVER;
  }
}

/** The environment of the process. The table in README.md lists the same names and defaults. */
export const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(9090).describe("port of the simulator; 0 picks a free one"),
  HOST: z.string().default("127.0.0.1").describe("address to listen on"),
  DATA_DIR: z
    .string()
    .optional()
    .describe("folder of the truth log and of the tasks; without it they are kept only in memory"),
  SIM_FAULTS: z.string().default("").transform(parseFaults).describe("faults of every request, such as `slow=10,crlf`"),
  SIM_MAX_BODY_BYTES: z.coerce.number().int().min(1).default(67_108_864).describe("largest request body"),
  SIM_TASK_MS: z.coerce.number().int().min(0).default(2000).describe("ms from a task's acceptance to its end"),
  SIM_LOG_LIMIT: z.coerce.number().int().min(0).default(1_000_000).describe("log entries kept in memory; 0 keeps all"),
});

export type Config = z.infer<typeof schema>;

/** Reads the environment. Throws an error that names every invalid variable. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const config = schema.safeParse(environment);
  if (!config.success) throw new Error(`Invalid settings:\n${z.prettifyError(config.error)}`);
  return config.data;
}
