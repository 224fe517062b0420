import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import type { KubeObject } from "../charts.ts";
import type { Rendering } from "../renderings.ts";
import { crdFiles } from "../schemas.ts";
import { type ApiServer, startApiServer } from "./server.ts";

const establishedTimeoutMs = 30_000;
/** An unknown or a duplicated field is an error, not a warning. */
const strictly = "?fieldValidation=Strict";

/**
 * Creates every object on a real API server, each rendering in its own namespace; returns the
 * server's errors.
 */
export async function refusedByApiServer(dir: string, rendered: readonly Rendering[]): Promise<string[]> {
  await using server = await startApiServer(dir);
  await defineKinds(server);
  const paths = new Map<string, string>();
  const problems: string[] = [];
  for (const { name, objects } of rendered) {
    const namespace = name.replaceAll(".", "-");
    await created(server, "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const object of objects) {
      const path = await pathOf(server, paths, object);
      const moved = { ...object, metadata: { ...object.metadata, namespace } };
      const { status, body } = await server.call(path.replace("{namespace}", namespace) + strictly, moved);
      if (status !== 201) problems.push(`${name}: the API server rejects ${object.kind}: ${body.message}`);
    }
  }
  return problems;
}

async function created(server: ApiServer, path: string, object: unknown): Promise<void> {
  const { status, body } = await server.call(path, object);
  if (status !== 201) throw new Error(`the API server responds ${status} to ${path}: ${body.message}`);
}

async function defineKinds(server: ApiServer): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const file of await crdFiles()) {
    const definition = parse(await readFile(file, "utf8"));
    await created(server, path, definition);
    await established(server, `${path}/${definition.metadata.name}`);
  }
}

async function established(server: ApiServer, path: string): Promise<void> {
  for (const deadline = performance.now() + establishedTimeoutMs; performance.now() < deadline; await sleep(100)) {
    const { body } = await server.call(path);
    const conditions: readonly { type: string; status: string }[] = body.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return;
  }
  throw new Error(`the API server does not serve ${path}`);
}

/** The path at which objects of this kind are created, by the server's discovery. */
async function pathOf(server: ApiServer, known: Map<string, string>, object: KubeObject): Promise<string> {
  const { apiVersion, kind } = object;
  const id = `${apiVersion} ${kind}`;
  const found = known.get(id);
  if (found !== undefined) return found;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await server.call(root);
  const resources: readonly { name: string; kind: string; namespaced: boolean }[] = body.resources ?? [];
  const resource = resources.find((one) => one.kind === kind && !one.name.includes("/"));
  if (resource === undefined) throw new Error(`the API server does not serve ${id}`);
  const path = `${root}${resource.namespaced ? "/namespaces/{namespace}" : ""}/${resource.name}`;
  known.set(id, path);
  return path;
}
