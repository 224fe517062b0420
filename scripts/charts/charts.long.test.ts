import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { access } from "@uag/contract/access/rpc";
import { mongoAccess } from "@uag/local/engines/mongo-users";
import { repoRoot } from "@uag/local/paths";
import { services } from "@uag/local/processes";
import { parse } from "yaml";
import type { z } from "zod";
import { releasedValues } from "../release/values.ts";
import {
  buildCharts,
  engineCharts,
  fleetChart,
  helmDir,
  type KubeObject,
  render,
  serviceCharts,
  toolboxChart,
} from "./charts.ts";
import { generated } from "./generate.ts";
import { readPolicies, unguardedWorkloads } from "./policies.ts";
import { kubeVersion, schemaLocation, writeSchemas } from "./schemas.ts";
import { runToolOf } from "./tools.ts";
import { validate } from "./validate.ts";

let dir: string;
let built: string;
let fleet: KubeObject[];

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "charts-test-"));
  built = join(dir, "charts");
  await buildCharts(built);
  fleet = await render(built, fleetChart, ["--set", "toolbox.enabled=true"]);
});

after(() => rm(dir, { recursive: true, force: true }));

const find = (kind: string, name: string): KubeObject => {
  const found = fleet.find((object) => object.kind === kind && object.metadata.name === name);
  assert.ok(found, `the chart renders the ${kind} ${name}`);
  return found;
};

test("every chart satisfies Helm, Kubernetes and our policies for every line of the matrix", async () => {
  const { problems, renderings, objects } = await validate();
  assert.deepEqual(problems, []);
  assert.ok(renderings > 60 && objects > 500, `${renderings} renderings, ${objects} objects`);
});

test("charts of engines run the pinned digest of their image unless another image is set", async () => {
  const other = `sha256:${"0".repeat(64)}`;
  for (const chart of engineCharts) {
    const { annotations } = parse(await readFile(join(helmDir, chart, "Chart.yaml"), "utf8"));
    assert.match(annotations.imageDigest, /^sha256:[0-9a-f]{64}$/);
    const imageWith = async (...values: string[]): Promise<string> => {
      const objects = await render(
        built,
        chart,
        values.flatMap((value) => ["--set", value]),
      );
      const { containers } = objects.find(({ kind }) => kind === "StatefulSet")?.spec.template.spec ?? {};
      return containers.find(({ name }: { name: string }) => name === chart).image;
    };
    const repository = chart === "mongodb" ? "mongo" : chart;
    assert.equal(await imageWith(), `${repository}@${annotations.imageDigest}`);
    assert.equal(await imageWith("image.tag=v9"), `${repository}:v9`);
    assert.equal(await imageWith("image.tag=v9", `image.digest=${other}`), `${repository}@${other}`);
  }
});

test("the charts' READMEs and schemas match their values", async () => {
  assert.deepEqual(await generated(false), []);
});

test("an error about a value of the wrong type, an unknown value or an unknown setting names it", async () => {
  const wrong = [
    ["replicaCount=many", /replicaCount/],
    ["settings.MAX_EXCHANGES=lots", /MAX_EXCHANGES/],
    ["settings.MAX_EXCHANGE=5", /MAX_EXCHANGE/],
    ["journal.sise=5Gi", /sise/],
    ["resources.limit.memory=1Gi", /limit/],
    ["serviceAccount.annotation.a=b", /annotation/],
    ["rollout.maxUnavailable=many", /maxUnavailable/],
    ["extraVolumeMounts[0].name=a", /mountPath/],
    ["extraEnv[0].nam=A", /extraEnv/],
    ["networkPolicy.extraEgress[0].port=443", /extraEgress/],
    ["networkPolicy.extraEgress[0].to[0].ipBlock=10.0.0.0/8", /extraEgress/],
    ["networkPolicy.extraIngress[0].to[0].ipBlock.cidr=10.0.0.0/8", /extraIngress/],
    ["networkPolicy.enabled=perhaps", /networkPolicy/],
  ] as const;
  for (const [value, reports] of wrong) {
    await assert.rejects(render(built, "chat", ["--set", value]), reports);
    await assert.rejects(render(built, fleetChart, ["--set", `chat.${value}`]), reports);
  }
});

test("an error about an unknown value of the whole fleet names it in every chart", async () => {
  for (const chart of [...serviceCharts, ...engineCharts, fleetChart])
    for (const [value, reports] of [
      ["global.imagePullSecret=a", /imagePullSecret/],
      ["global.nats.bundle=true", /bundle/],
      ["global.mongodb.to[0].cidr=10.0.0.0/8", /to/],
    ] as const)
      await assert.rejects(render(built, chart, ["--set", value]), reports, chart);
});

test("validation finds an object with an unknown field", async () => {
  const schemas = join(dir, "schemas");
  await writeSchemas(schemas);
  const file = join(dir, "misspelt.json");
  const workload = structuredClone(find("Deployment", "uag-router"));
  workload.spec.template.spec.containers[0].readinesProbe = {};
  await writeFile(file, JSON.stringify(workload));
  const args = ["-strict", "-kubernetes-version", kubeVersion, "-schema-location", schemaLocation(schemas), file];
  await assert.rejects(runToolOf("kubeconform", args), /readinesProbe/);
});

test("every violation of a policy is found", async () => {
  const judge = await readPolicies();
  const pod = (change: (spec: KubeObject["spec"], container: KubeObject["spec"]) => void): KubeObject => {
    const workload = structuredClone(find("StatefulSet", "uag-chat"));
    const spec = workload.spec.template.spec;
    change(spec, spec.containers[0]);
    return workload;
  };
  assert.deepEqual(judge(pod(() => {})), []);
  const sins: Readonly<Record<string, Parameters<typeof pod>[0]>> = {
    "a pod that may be root": (spec) => delete spec.securityContext.runAsNonRoot,
    "a writable file system": (_, { securityContext }) => delete securityContext.readOnlyRootFilesystem,
    "all capabilities": (_, { securityContext }) => delete securityContext.capabilities,
    "a token": (spec) => delete spec.automountServiceAccountToken,
    "folders of its node": (spec) => spec.volumes.push({ name: "host", hostPath: { path: "/" } }),
    "unlimited memory": (_, { resources }) => delete resources.limits,
    "no liveness probe": (_, container) => delete container.livenessProbe,
    "no termination grace period": (spec) => delete spec.terminationGracePeriodSeconds,
    "a secret in a variable": (_, { env }) => env.push({ name: "A", valueFrom: { secretKeyRef: {} } }),
  };
  for (const [sin, commit] of Object.entries(sins)) assert.equal(judge(pod(commit)).length, 1, sin);
  const without = (kind: string): KubeObject[] =>
    fleet.filter((one) => one.kind !== kind || one.metadata.name !== "uag-chat");
  for (const kind of ["PodDisruptionBudget", "NetworkPolicy"])
    assert.deepEqual(unguardedWorkloads(without(kind)), [`StatefulSet uag-chat has no ${kind}`]);
});

/** The callers that a service's network policy admits, by port. */
function allowedCallers(service: string): Set<string> {
  const rules = find("NetworkPolicy", `uag-${service}`).spec.ingress as KubeObject["spec"][];
  return new Set(
    rules
      .filter(({ ports }) => ports[0].port.endsWith("grpc"))
      .flatMap(({ from }) =>
        from.map((one: KubeObject["spec"]) => one.podSelector.matchLabels["app.kubernetes.io/name"]),
      ),
  );
}

/** Whether a setting of the caller has the address of the service. */
function addresses(caller: string, service: string): boolean {
  const workload = fleet.find(
    ({ kind, metadata }) => /Deployment|StatefulSet/.test(kind) && metadata.name === `uag-${caller}`,
  );
  const env: { value?: string }[] =
    workload?.spec.template.spec.containers[0].env ?? assert.fail(`no pods of ${caller}`);
  return env.some(({ value }) => value?.includes(`uag-${service}-grpc:`));
}

test("network policies admit exactly the permitted callers of each service that have its address", () => {
  const served = serviceCharts.filter((name) =>
    Object.values(access).some((one) => one.servedBy.includes(name as never)),
  );
  for (const service of served) {
    const callers = Object.values(access)
      .filter(({ servedBy }) => servedBy.includes(service as never))
      .flatMap(({ callers: byMethod }) => Object.values(byMethod).flat())
      .map((name) => (name === "operator" ? toolboxChart : name));
    const expected = [...new Set(callers)].filter((caller) => addresses(caller, service));
    assert.ok(expected.length > 0, service);
    assert.deepEqual([...allowedCallers(service)].sort(), expected.sort(), service);
  }
});

test("every caller that a service admits may reach it by its own network policy", () => {
  for (const service of serviceCharts) {
    for (const rule of find("NetworkPolicy", `uag-${service}`).spec.ingress as KubeObject["spec"][]) {
      for (const { podSelector } of rule.from ?? []) {
        if (podSelector === undefined) continue;
        const caller = podSelector.matchLabels["app.kubernetes.io/name"] as string;
        const exits = find("NetworkPolicy", `uag-${caller}`).spec.egress as KubeObject["spec"][];
        const goes = exits.some(({ to }) => to?.[0].podSelector?.matchLabels["app.kubernetes.io/name"] === service);
        assert.ok(goes, `${caller} can reach ${service}`);
      }
    }
  }
});

test("the fleet's own NATS admits exactly the services that use it, and they can reach no other NATS", async () => {
  const bundled = await render(built, fleetChart, [
    "--set",
    "global.nats.bundled=true,global.nats.mutualTls=false,toolbox.enabled=true",
  ]);
  const of = (kind: string, name: string): KubeObject["spec"] =>
    bundled.find((one) => one.kind === kind && one.metadata.name === name)?.spec;
  const pods = (name: string): unknown => ({
    podSelector: { matchLabels: { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "uag" } },
  });
  const { ingress } = of("NetworkPolicy", "uag-nats");
  const { from } = ingress.find(({ ports }: KubeObject["spec"]) => ports[0].port === "client");
  const names: readonly string[] = of("Certificate", "uag-nats").dnsNames;
  const clients: unknown[] = [];
  for (const name of [...serviceCharts, toolboxChart]) {
    const { env } = (of("StatefulSet", `uag-${name}`) ?? of("Deployment", `uag-${name}`)).template.spec.containers[0];
    const given = new Map<string, string>(env.map((one: { name: string; value: string }) => [one.name, one.value]));
    const exits = of("NetworkPolicy", `uag-${name}`).egress.filter(
      ({ ports }: KubeObject["spec"]) => ports[0].port === 4222,
    );
    const urls = given.get("NATS_URL")?.split(",") ?? [];
    assert.deepEqual(exits, urls.length === 0 ? [] : [{ ports: [{ port: 4222 }], to: [pods("nats")] }], name);
    if (urls.length === 0) continue;
    clients.push(pods(name));
    assert.equal(urls.length, 3);
    for (const url of urls) assert.ok(names.includes(new URL(url).hostname), `a certificate has the name in ${url}`);
    assert.ok(given.has("NATS_CERT_FILE"), `${name} has a certificate for NATS`);
  }
  const sorted = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
  assert.deepEqual(sorted(from), sorted(clients));
  assert.ok(!fleet.some(({ metadata }) => metadata.name.startsWith("uag-nats")));
});

test("the fleet's own MongoDB admits exactly its members and the services that use it, and they can reach no other MongoDB", async () => {
  const bundled = await render(built, fleetChart, ["--set", "global.mongodb.bundled=true"]);
  const of = (kind: string, name: string): KubeObject["spec"] =>
    bundled.find((one) => one.kind === kind && one.metadata.name === name)?.spec;
  const pods = (name: string): unknown => ({
    podSelector: { matchLabels: { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "uag" } },
  });
  const clients: unknown[] = [pods("mongodb")];
  for (const name of serviceCharts) {
    const { volumes } = (of("StatefulSet", `uag-${name}`) ?? of("Deployment", `uag-${name}`)).template.spec;
    const ca = volumes.find((one: { name: string }) => one.name === "mongodb-ca");
    const uses = name in mongoAccess;
    const exits = of("NetworkPolicy", `uag-${name}`).egress.filter(
      ({ ports }: KubeObject["spec"]) => ports[0].port === 27017,
    );
    assert.deepEqual(exits, uses ? [{ ports: [{ port: 27017 }], to: [pods("mongodb")] }] : [], name);
    assert.equal(ca?.secret.secretName, uses ? of("Certificate", "uag-mongodb").secretName : undefined, name);
    // From the members' Secret a service gets only the CA certificate, without a key.
    assert.deepEqual(ca?.secret.items ?? [], uses ? [{ key: "ca.crt", path: "ca.crt" }] : [], name);
    if (uses) clients.push(pods(name));
  }
  const sorted = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
  assert.deepEqual(sorted(of("NetworkPolicy", "uag-mongodb").ingress[0].from), sorted(clients));
  assert.ok(!fleet.some(({ metadata }) => metadata.name.startsWith("uag-mongodb")));
});

test("services that send mail have the sender, the server's secret and access to the server", async () => {
  const server = { ipBlock: { cidr: "10.1.2.3/32" } };
  const notifications = async (
    ...args: string[]
  ): Promise<{ env: Map<string, string>; keys: string[]; exits: unknown[] }> => {
    const objects = await render(built, "notifications", args);
    const pod = objects.find(({ kind }) => kind === "Deployment")?.spec?.template.spec;
    assert.ok(pod);
    const env: { name: string; value: string }[] = pod.containers[0].env;
    const { secret } = pod.volumes.find(({ name }: { name: string }) => name === "secrets");
    return {
      env: new Map(env.map(({ name, value }) => [name, value])),
      keys: secret.items.map(({ key }: { key: string }) => key),
      exits: objects.find(({ kind }) => kind === "NetworkPolicy")?.spec.egress,
    };
  };
  const silent = await notifications();
  assert.ok(![...silent.env.keys(), ...silent.keys].some((name) => name.startsWith("SMTP_")));
  const to = `mail.to[0].ipBlock.cidr=${server.ipBlock.cidr}`;
  const mailing = await notifications(
    "--set",
    `mail.from=Gateway <gateway@example.com>,mail.port=2525,publicUrl=https://ai.example.com,${to}`,
    "--set",
    "mail.confirmedDomains={example.com,example.org}",
  );
  assert.equal(mailing.env.get("SMTP_FROM"), "Gateway <gateway@example.com>");
  assert.equal(mailing.env.get("MAIL_CONFIRMED_DOMAINS"), "example.com,example.org");
  assert.equal(mailing.env.get("PUBLIC_URL"), "https://ai.example.com");
  assert.equal(mailing.env.get("SMTP_URL_FILE"), "/etc/uag/secrets/SMTP_URL");
  assert.deepEqual(mailing.keys, [...silent.keys, "SMTP_URL"]);
  const edge = { ports: [{ port: 2525 }], to: [server] };
  assert.ok(mailing.exits.some((exit) => isDeepStrictEqual(exit, edge)));
  assert.equal(mailing.exits.length, silent.exits.length + 1);
});

test("the router trusts only the chart's own ingress or gateway, if there is one", async () => {
  const hops = async (...args: string[]): Promise<string | undefined> => {
    const objects = await render(built, "router", args);
    const pod = objects.find(({ kind }) => kind === "Deployment")?.spec?.template.spec;
    assert.ok(pod);
    const env: { name: string; value: string }[] = pod.containers[0].env;
    return env.find(({ name }) => name === "TRUSTED_HOPS")?.value;
  };
  assert.equal(await hops(), undefined);
  const url = "publicUrl=https://ai.example.com";
  assert.equal(await hops("--set", `ingress.enabled=true,${url}`), "1");
  assert.equal(await hops("--set", `gateway.enabled=true,${url}`), "1");
  assert.equal(await hops("--set", `ingress.enabled=true,settings.TRUSTED_HOPS=2,${url}`), "2");
});

test("the gateway's public URL alone determines the host of its HTTPRoute and its Ingress", async () => {
  const hosts = async (chart: string, ...values: string[]): Promise<unknown[]> => {
    const prefix = chart === fleetChart ? "router." : "";
    const enabled = [
      `${prefix}gateway.enabled=true`,
      `${prefix}ingress.enabled=true`,
      `${prefix}ingress.tlsSecret=door`,
    ];
    const objects = await render(built, chart, ["--set", [...enabled, ...values].join()]);
    const of = (kind: string): KubeObject["spec"] => objects.find((one) => one.kind === kind)?.spec;
    return [of("HTTPRoute").hostnames, of("Ingress").rules[0].host, of("Ingress").tls[0].hosts];
  };
  const everywhere = (host: string): unknown[] => [[host], host, [host]];
  assert.deepEqual(await hosts("router", "publicUrl=https://llm.example.org:8443/"), everywhere("llm.example.org"));
  assert.deepEqual(await hosts(fleetChart, "global.publicUrl=https://one.example.org"), everywhere("one.example.org"));
  assert.deepEqual(
    await hosts(
      "router",
      "publicUrl=https://a.example",
      "gateway.hostnames={b.example,c.example}",
      "ingress.host=d.example",
    ),
    [["b.example", "c.example"], "d.example", ["d.example"]],
  );
  await assert.rejects(hosts("router"), /publicUrl .* is required/);
});

test("the examples of egress open exactly the addresses of an identity provider, object storage and own models", async () => {
  const exits = async (...args: string[]): Promise<Map<string, KubeObject["spec"][]>> => {
    const objects = await render(built, fleetChart, args);
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    return new Map(policies.map(({ metadata, spec }) => [metadata.name, spec.egress ?? []]));
  };
  const before = await exits();
  const opened = async (example: string): Promise<Record<string, KubeObject["spec"][]>> => {
    const now = await exits("--values", join(helmDir, "egress", `${example}.yaml`));
    const added = [...now].map(([name, rules]) => {
      const known = new Set(before.get(name)?.map((rule) => JSON.stringify(rule)));
      return [name, rules.filter((rule) => !known.has(JSON.stringify(rule)))] as const;
    });
    return Object.fromEntries(added.filter(([, rules]) => rules.length > 0));
  };
  const oidc = await opened("oidc");
  assert.deepEqual(Object.keys(oidc), ["uag-console"]);
  assert.deepEqual(oidc["uag-console"]?.[0].ports, [{ port: 443 }]);
  assert.ok(oidc["uag-console"]?.[0].to[0].ipBlock.except.includes("10.0.0.0/8"));
  const storage = { to: [{ ipBlock: { cidr: "10.20.30.0/24" } }], ports: [{ port: 443 }] };
  const s3 = await opened("s3-in-vpc");
  assert.deepEqual(Object.keys(s3).sort(), ["uag-billing", "uag-media", "uag-metering"]);
  for (const [name, rules] of Object.entries(s3))
    assert.ok(
      rules.some((rule) => isDeepStrictEqual(rule, storage)),
      name,
    );
  const models = await opened("self-hosted-models");
  assert.deepEqual(Object.keys(models).sort(), ["uag-chat", "uag-embedding"]);
  assert.deepEqual(models["uag-chat"], models["uag-embedding"]);
  assert.deepEqual(models["uag-chat"]?.[0].ports, [{ port: 8000 }]);
});

test("members of an engine keep their majority without any one zone, unless that is relaxed", async () => {
  const spread = async (chart: string, ...values: string[]): Promise<KubeObject["spec"]> => {
    const objects = await render(built, chart, ["--set", ["replicaCount=3", ...values].join()]);
    const { topologySpreadConstraints } = objects.find(({ kind }) => kind === "StatefulSet")?.spec.template.spec ?? {};
    return Object.fromEntries(
      topologySpreadConstraints.map((one: KubeObject["spec"]) => [
        one.topologyKey,
        [one.whenUnsatisfiable, one.minDomains],
      ]),
    );
  };
  const [zone, node] = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"];
  const [must, may] = ["DoNotSchedule", "ScheduleAnyway"];
  for (const chart of engineCharts) {
    assert.deepEqual(await spread(chart), { [zone]: [must, 3], [node]: [must, undefined] }, chart);
    const oneZone = await spread(chart, "threeZones=false");
    assert.deepEqual(oneZone, { [zone]: [may, undefined], [node]: [must, undefined] }, chart);
    const oneNode = await spread(chart, "oneMemberPerNode=false");
    assert.deepEqual(oneNode, { [zone]: [may, undefined], [node]: [may, undefined] }, chart);
  }
});

test("pods and Jobs have no user where the platform assigns one, and engines take annotations and access modes", async () => {
  for (const chart of ["chat", "billing", ...engineCharts]) {
    const roles = chart === "billing" ? ",roles.enabled=true" : "";
    const objects = await render(built, chart, ["--set", `userId=0${roles}`]);
    const pods = objects.flatMap(({ spec }) => spec?.template?.spec ?? []);
    assert.ok(pods.length >= (chart === "billing" ? 2 : 1));
    for (const { securityContext } of pods)
      assert.deepEqual(
        ["runAsUser", "runAsGroup", "fsGroup"].filter((name) => name in securityContext),
        [],
        chart,
      );
  }
  for (const chart of engineCharts) {
    const values = [
      "serviceAnnotations.team=a",
      "serviceAccount.annotations.role=b",
      "storage.accessModes={ReadWriteOnce}",
    ];
    const objects = await render(built, chart, ["--set", values.join()]);
    const of = (kind: string): KubeObject & { metadata: { annotations?: object } } =>
      objects.find((one) => one.kind === kind) ?? assert.fail(kind);
    assert.deepEqual(of("Service").metadata.annotations, { team: "a" });
    assert.deepEqual(of("ServiceAccount").metadata.annotations, { role: "b" });
    assert.deepEqual(of("StatefulSet").spec.volumeClaimTemplates[0].spec.accessModes, ["ReadWriteOnce"]);
  }
});

test("a chart gives its service every required setting and a certificate with its name", async () => {
  for (const { name, entry, peer } of services) {
    const workload = fleet.find(
      ({ kind, metadata }) => /Deployment|Stateful/.test(kind) && metadata.name === `uag-${name}`,
    );
    const container = workload?.spec.template.spec.containers[0];
    const given = new Set(container.env.map((one: { name: string }) => one.name.replace(/_FILE$/, "")));
    const { schema } = (await import(join(repoRoot, dirname(entry), "config.ts"))) as { schema: z.ZodObject };
    for (const [setting, type] of Object.entries(schema.shape) as [string, z.ZodType][])
      assert.ok(given.has(setting) || type.safeParse(undefined).success, `the chart sets ${setting} of ${name}`);
    // The auditor calls no service.
    if (peer === undefined || !("TLS_CERT_FILE" in schema.shape)) continue;
    assert.deepEqual(find("Certificate", `uag-${name}`).spec.uris, [`spiffe://gateway/${peer}`]);
  }
});

test("a service's own rules are its part of the common file, and query only this service", async () => {
  const groups = async (chart: string): Promise<KubeObject["spec"][]> => {
    const objects = await render(built, chart, ["--set", "prometheusRule.enabled=true,fleet=blue"]);
    return objects.find(({ kind }) => kind === "PrometheusRule")?.spec.groups;
  };
  const chat = await groups("chat");
  assert.deepEqual(
    chat.map(({ name }) => name),
    ["process", "capability"],
  );
  const queries: string[] = chat.flatMap(({ rules }) => rules.map((rule: { expr: string }) => rule.expr));
  const ours = ['service="chat"', 'job="blue-chat-admin"', 'pod=~"blue-chat-.+"'];
  assert.ok(queries.every((query) => ours.some((selector) => query.includes(selector))));
  assert.ok(queries.every((query) => !/=~"(?:chat|uag-)/.test(query)));
  assert.deepEqual(
    (await groups("video")).map(({ name }) => name),
    ["process", "capability", "video"],
  );
});

test("the fleet's chart has the alerts of what the services depend on, by its name, and all alerts link to the same runbooks", async () => {
  const values = ["global.clusterAlerts.enabled=true", "chat.prometheusRule.enabled=true", "global.fleet=blue"];
  const linked = ["global.runbookUrl=https://wiki.example.com/runbooks/"];
  const objects = await render(built, fleetChart, ["--set", [...values, ...linked].join()]);
  const rule = (name: string): KubeObject["spec"] =>
    objects.find(({ kind, metadata }) => kind === "PrometheusRule" && metadata.name === name)?.spec;
  const { groups } = rule("blue-cluster");
  assert.deepEqual(
    groups.map(({ name }: { name: string }) => name),
    ["cluster", "nats", "mongodb"],
  );
  assert.ok(!JSON.stringify(groups).includes("uag-"), "no query is of another fleet");
  for (const group of [...groups, ...rule("blue-chat").groups])
    for (const { alert, annotations } of group.rules)
      if (alert) assert.equal(annotations.runbook_url, `https://wiki.example.com/runbooks/${alert}.md`);
  await assert.rejects(render(built, fleetChart, ["--set", "global.runbookUrl=runbooks"]), /runbookUrl/);
});

test("the fleet's chart contains Grafana's dashboards if they are enabled", async () => {
  const rendered = await render(built, fleetChart, ["--set", "global.dashboards.enabled=true"]);
  const maps = rendered.filter(({ metadata }) => metadata.labels?.["grafana_dashboard"] === "1");
  assert.deepEqual(maps.flatMap(({ data }) => Object.values(data ?? {}).map((json) => JSON.parse(json).uid)).sort(), [
    "uag-capacity",
    "uag-limits",
    "uag-money",
    "uag-providers",
    "uag-service",
  ]);
  assert.ok(!fleet.some(({ metadata }) => metadata.labels?.["grafana_dashboard"]));
});

test("a new version of the chart alone replaces no pod", async () => {
  const versioned = join(dir, "versioned");
  await cp(built, versioned, { recursive: true });
  for (const chart of ["chat", "router", "nats", "mongodb"]) {
    // Images are tagged by the chart's version unless a tag is set.
    const tags = chart === "mongodb" ? "image.tag=v1,companion.image.tag=v1" : "image.tag=v1";
    const podsOf = async (from: string): Promise<unknown> =>
      (await render(from, chart, ["--set", tags])).flatMap(({ spec }) => spec?.template ?? []);
    const file = join(versioned, chart, "Chart.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace(/^version: .*$/m, "version: 9.9.9"));
    assert.deepEqual(await podsOf(versioned), await podsOf(built), chart);
  }
});

test("the values that a release keeps are accepted and render what the defaults render", async () => {
  const file = join(dir, "released.yaml");
  await writeFile(file, await releasedValues("1.0.0"));
  const bundled = ["--set", "global.nats.bundled=true,global.mongodb.bundled=true"];
  assert.deepEqual(
    await render(built, fleetChart, ["--values", file, ...bundled]),
    await render(built, fleetChart, bundled),
  );
});

test("the number of replicas has one owner: the chart, a HorizontalPodAutoscaler or KEDA", async () => {
  const replicas = async (...values: string[]): Promise<unknown> => {
    const objects = await render(built, "metering", ["--set", values.join()]);
    return objects.find(({ kind }) => kind === "Deployment")?.spec.replicas;
  };
  assert.equal(await replicas("replicaCount=3"), 3);
  assert.equal(await replicas("autoscaling.enabled=true"), undefined);
  assert.equal(await replicas("keda.enabled=true"), undefined);
  await assert.rejects(replicas("keda.enabled=true", "autoscaling.enabled=true"), /choose one/);
});

test("the Jobs before a release match no disruption budget, and reach only what they need", async () => {
  const catalog = join(repoRoot, "infra/config/catalog.yaml");
  const args = ["--set", "roles.enabled=true,mongodb.caSecret=ca,imagePullSecrets[0].name=pull"];
  const objects = await render(built, "billing", [...args, "--set-file", `catalog.content=${catalog}`]);
  const jobs = objects.filter(({ kind }) => kind === "Job");
  assert.deepEqual(jobs.map(({ metadata }) => metadata.name).sort(), ["uag-billing-catalog", "uag-billing-roles"]);
  const selects = (selector: object, labels: Readonly<Record<string, string>>): boolean =>
    Object.entries(selector).every(([name, value]) => labels[name] === value);
  for (const { metadata, spec } of jobs) {
    const { labels } = spec.template.metadata;
    for (const { kind, spec: other } of objects)
      if (kind === "PodDisruptionBudget") assert.ok(!selects(other.selector.matchLabels, labels), metadata.name);
    const policies = objects.filter(
      ({ kind, spec: other }) => kind === "NetworkPolicy" && selects(other.podSelector.matchLabels, labels),
    );
    const ports = policies.flatMap(({ spec: { egress = [] } }) =>
      egress.flatMap((rule: KubeObject["spec"]) => rule.ports),
    );
    const expected = metadata.name === "uag-billing-roles" ? [53, 53, 27017] : [];
    assert.deepEqual(
      ports.map(({ port }) => port),
      expected,
      metadata.name,
    );
    assert.deepEqual(spec.template.spec.imagePullSecrets, [{ name: "pull" }]);
  }
  const roles = jobs.find(({ metadata }) => metadata.name === "uag-billing-roles")?.spec.template.spec;
  assert.ok(roles.volumes.some(({ secret }: KubeObject["spec"]) => secret?.secretName === "ca"));
});

test("pods that read the catalogue restart on its change only if configured", async () => {
  const catalog = join(repoRoot, "infra/config/catalog.yaml");
  const args = ["--set-file", `global.catalog.content=${catalog}`];
  const annotations = (objects: readonly KubeObject[]): (string | undefined)[] =>
    objects
      .filter(({ kind }) => kind === "StatefulSet")
      .map(({ spec }) => spec.template.metadata.annotations?.["checksum/catalog"]);
  assert.ok(annotations(await render(built, fleetChart, args)).every((sum) => sum === undefined));
  const rolled = annotations(await render(built, fleetChart, [...args, "--set", "global.catalog.rollOnChange=true"]));
  assert.equal(new Set(rolled).size, 1);
  assert.match(rolled[0] ?? "", /^[0-9a-f]{64}$/);
});
