import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { documentNames } from "../docs/documents.ts";
import { openApiDocument, operationOf, templateOf } from "./document.ts";
import { codesOf, unseen } from "./failures.ts";
import { probes } from "./probes.ts";
import { allRoutes, routesOf } from "./routes.ts";

type Json = Readonly<Record<string, unknown>>;

/** Every object within the document. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  yield value as Json;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** The target of a reference within a document. */
function resolve(document: Json, pointer: string): unknown {
  const names = pointer.slice(2).split("/");
  return names.reduce<unknown>((at, name) => (at as Json | undefined)?.[name], document);
}

for (const api of documentNames)
  describe(`the document of the ${api} API`, () => {
    const document = openApiDocument(api);
    const paths = document["paths"] as Readonly<Record<string, Json>>;

    test("it is a valid OpenAPI 3.1 document", async () => {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors, null, 2));
      assert.equal(validator.version, "3.1");
    });

    test("it documents every route of its table and no other", () => {
      const described = Object.entries(paths)
        .filter(([path]) => !(path in probes[api]))
        .flatMap(([path, item]) => Object.keys(item).map((verb) => `${verb} ${path}`));
      const served = routesOf[api].map(({ method, path }) => `${method.toLowerCase()} ${templateOf(path)}`);
      assert.deepEqual(described.sort(), served.sort());
    });

    test("every reference resolves, and every component is used", () => {
      const refs = new Set<string>();
      for (const { $ref } of objectsIn(document)) if (typeof $ref === "string") refs.add($ref);
      for (const ref of refs) assert.notEqual(resolve(document, ref), undefined, ref);
      const components = document["components"] as Readonly<Record<string, Json>>;
      for (const [kind, named] of Object.entries(components)) {
        if (kind === "securitySchemes") continue;
        for (const name of Object.keys(named)) {
          assert.ok(refs.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
        }
      }
    });

    test("every operation has a name that is a valid identifier, and a group with a description", () => {
      const reported = new Set((document["tags"] as Json[]).map(({ name }) => name));
      const used = new Set<unknown>();
      for (const operation of Object.values(paths).flatMap((item) => Object.values(item) as Json[])) {
        assert.match(String(operation["operationId"]), /^[a-z]+([A-Z][a-z]+)+$/);
        for (const tag of operation["tags"] as unknown[]) used.add(tag);
      }
      assert.deepEqual(used, reported);
    });

    test("no two operations share a name, and every parameter of a path is described", () => {
      const ids = new Set<unknown>();
      for (const [path, item] of Object.entries(paths)) {
        for (const operation of Object.values(item) as Json[]) {
          assert.ok(!ids.has(operation["operationId"]), String(operation["operationId"]));
          ids.add(operation["operationId"]);
          const named = ((operation["parameters"] ?? []) as Json[]).flatMap((one) =>
            one["in"] === "path" ? [one["name"]] : [],
          );
          assert.deepEqual(
            named,
            [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name),
          );
        }
      }
    });

    test("objects accept undocumented fields, except those that administrators send", () => {
      const schemas = (document["components"] as Readonly<Record<string, Json>>)["schemas"] ?? {};
      for (const [name, schema] of Object.entries(schemas)) {
        if (/^Admin\w+Request$/.test(name)) continue;
        for (const object of objectsIn(schema)) assert.notEqual(object["additionalProperties"], false, name);
      }
    });
  });

test("every public code of the error table is a response of a route", () => {
  const reported = new Set(allRoutes.flatMap((route) => codesOf(route, operationOf(route))));
  const seen = (Object.keys(errorTable) as ErrorCode[]).filter((code) => !unseen.includes(code));
  assert.deepEqual([...reported].sort(), seen.sort());
});
