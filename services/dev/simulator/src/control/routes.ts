import { z } from "zod";
import { createAccessKey, expireTemporaryKeys } from "../aws/access-keys.ts";
import { UnknownFault } from "../faults/catalogue.ts";
import { type FaultRules, ruleSchema } from "../faults/rules.ts";
import { createServiceAccount } from "../google/accounts.ts";
import { googleTokens } from "../google/tokens.ts";
import type { InFlight } from "../log/in-flight.ts";
import type { TruthLog } from "../log/truth-log.ts";
import type { TaskStore } from "../tasks/store.ts";

export interface ControlContext {
  readonly rules: FaultRules;
  readonly log: TruthLog;
  readonly inFlight: InFlight;
  readonly tasks: TaskStore;
}
export interface ControlReply {
  readonly status: number;
  readonly body: unknown;
}
interface Row {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  handle(request: { url: URL; bytes: Buffer; id: string }, context: ControlContext): ControlReply;
}

const logQuery = z.object({
  since: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(1000),
  request_id: z.string().optional(),
});

const done: ControlReply = { status: 200, body: { ok: true } };

function problem(status: number, message: string): ControlReply {
  return { status, body: { error: message } };
}

function json(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const rows: readonly Row[] = [
  { method: "GET", path: /^\/sim\/health$/, handle: () => done },
  {
    method: "POST",
    path: /^\/sim\/service-accounts$/,
    handle: ({ url }) => ({ status: 201, body: createServiceAccount(url.searchParams.get("token_uri") ?? "") }),
  },
  {
    method: "POST",
    path: /^\/sim\/access-keys$/,
    handle: ({ url }) => ({ status: 201, body: createAccessKey(url.searchParams.has("temporary")) }),
  },
  {
    method: "DELETE",
    path: /^\/sim\/access-keys$/,
    handle() {
      expireTemporaryKeys();
      return done;
    },
  },
  {
    method: "DELETE",
    path: /^\/sim\/google-tokens$/,
    handle() {
      googleTokens.revoke();
      return done;
    },
  },
  { method: "GET", path: /^\/sim\/stats$/, handle: (_, { inFlight }) => ({ status: 200, body: inFlight.stats() }) },
  {
    method: "GET",
    path: /^\/sim\/log$/,
    handle({ url }, { log }) {
      const query = logQuery.safeParse(Object.fromEntries(url.searchParams));
      if (!query.success) return problem(400, z.prettifyError(query.error));
      const { since, limit, request_id: requestId } = query.data;
      return { status: 200, body: log.page({ since, limit, requestId }) };
    },
  },
  {
    method: "DELETE",
    path: /^\/sim\/log$/,
    handle(_, { log }) {
      log.clear();
      return done;
    },
  },
  {
    method: "GET",
    path: /^\/sim\/tasks$/,
    handle({ url }, { tasks }) {
      const wanted = url.searchParams.get("request_id");
      const all = tasks.views();
      return { status: 200, body: { tasks: all.filter((task) => wanted === null || task.request_id === wanted) } };
    },
  },
  {
    method: "DELETE",
    path: /^\/sim\/tasks$/,
    handle(_, { tasks }) {
      tasks.clear();
      return done;
    },
  },
  {
    method: "GET",
    path: /^\/sim\/faults$/,
    handle: (_, { rules }) => ({ status: 200, body: { rules: rules.list() } }),
  },
  {
    method: "POST",
    path: /^\/sim\/faults$/,
    handle({ bytes }, { rules }) {
      const rule = ruleSchema.safeParse(json(bytes));
      return rule.success ? { status: 201, body: rules.add(rule.data) } : problem(400, z.prettifyError(rule.error));
    },
  },
  {
    method: "DELETE",
    path: /^\/sim\/faults$/,
    handle(_, { rules }) {
      rules.clear();
      return done;
    },
  },
  {
    method: "DELETE",
    path: /^\/sim\/faults\/(?<id>[\w-]+)$/,
    handle: ({ id }, { rules }) => (rules.remove(id) ? done : problem(404, `no rule has the id '${id}'`)),
  },
];

/** Handles the simulator's own API under /sim. */
export function control(method: string, url: URL, bytes: Buffer, context: ControlContext): ControlReply {
  for (const row of rows) {
    const match = row.method === method ? row.path.exec(url.pathname) : null;
    if (match === null) continue;
    try {
      return row.handle({ url, bytes, id: match.groups?.["id"] ?? "" }, context);
    } catch (cause) {
      if (cause instanceof UnknownFault) return problem(400, cause.message);
      throw cause;
    }
  }
  return problem(404, `${method} ${url.pathname} is not served`);
}
