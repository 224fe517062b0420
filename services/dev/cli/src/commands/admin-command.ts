import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { print, UserError } from "@uag/local/terminal/step";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { readTarget, type Target } from "./target.ts";

type ValuesOf<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

/** What a command is run with. */
export interface Call<O extends ParseArgsOptionsConfig> {
  readonly api: AdminApi;
  readonly target: Target;
  readonly values: ValuesOf<O>;
}

type Handlers<C> = Readonly<Record<string, (call: C) => Promise<void>>>;

interface AdminCommand<O extends ParseArgsOptionsConfig> {
  /** Its name, as in `npm run <name>`. */
  readonly name: string;
  readonly help: string;
  readonly options: O;
  readonly commands: Handlers<Call<O>>;
  /** Commands that take the id of an object; the id is safe in a path. */
  readonly idCommands: Handlers<Call<O> & { readonly id: string }>;
}

/**
 * Runs `npm run <name> -- <command> [id]` on the admin API of the target.
 * @throws {UserError} for an unknown command, or one without its id
 */
export async function runAdminCommand<O extends ParseArgsOptionsConfig>(spec: AdminCommand<O>): Promise<void> {
  const { name, help, options, commands, idCommands } = spec;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if ("help" in values && values.help === true) return print(help);
  if (command === undefined) return print(help);
  const withoutId = Object.hasOwn(commands, command) ? commands[command] : undefined;
  const withId = Object.hasOwn(idCommands, command) ? idCommands[command] : undefined;
  if (withoutId === undefined && withId === undefined) throw new UserError(`Unknown command "${command}".\n\n${help}`);
  if (withId !== undefined && id === undefined)
    throw new UserError(`The id is missing: npm run ${name} -- ${command} <id>. npm run ${name} -- list shows the ids`);
  const target = await readTarget();
  const call = { api: adminApi(target), target, values };
  await withoutId?.(call);
  if (id !== undefined) await withId?.({ ...call, id: encodeURIComponent(id) });
}
