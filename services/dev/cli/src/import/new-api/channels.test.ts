import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyPlan } from "../plan.ts";
import { modelsOfGroups, readChannels } from "./channels.ts";
import { tables } from "./tables.ts";

const settings = {
  unitsPerUsd: 500_000,
  groupRatio: {},
  autoGroups: ["default"],
  modelRatio: { chat: 1.25 },
  completionRatio: { chat: 4 },
  cacheRatio: { chat: 0.1 },
};
const row = (fields: Readonly<Record<string, string | null>>) => ({
  id: "1",
  type: "1",
  key: "sk-1",
  status: "1",
  name: "main",
  weight: "0",
  priority: "0",
  base_url: null,
  models: "chat",
  group: "default",
  model_mapping: null,
  ...fields,
});
const read = (...rows: Readonly<Record<string, string | null>>[]) => {
  const plan = emptyPlan();
  const channels = rows.map((fields) => tables.read("channels", row(fields)));
  return { deployments: readChannels(channels, settings, plan), channels, notes: plan.notes };
};

describe("channels of new-api", () => {
  test("a channel with several keys has a deployment for each that works", () => {
    const info = JSON.stringify({ is_multi_key: true, multi_key_size: 3, multi_key_status_list: { 1: 3 } });
    const { deployments } = read({ key: "sk-1\nsk-2\nsk-3", channel_info: info });
    assert.deepEqual(
      deployments.map(({ place }) => place.secret),
      ["sk-1", "sk-3"],
    );
  });

  test("the channel of the highest priority is first, and the lowest number of the gateway", () => {
    const { deployments } = read({ name: "spare", priority: "-5" }, { name: "main", priority: "10", weight: "3" });
    assert.deepEqual(
      deployments.map(({ place, priority }) => [place.share, priority]),
      [
        [{ name: "main", weight: 3 }, 0],
        [{ name: "spare", priority: 1 }, 1],
      ],
    );
  });

  test("ratios become USD per million tokens", () => {
    const [deployment] = read({}).deployments;
    assert.deepEqual(deployment?.price, { input_tokens: 2.5, output_tokens: 10, cached_input_tokens: 0.25 });
    assert.equal(read({ models: "other" }).deployments[0]?.price, undefined);
  });

  test("a chain of model mappings is followed to its end, and a circular one ends too", () => {
    const upstream = (mapping: object) =>
      read({ model_mapping: JSON.stringify(mapping) }).deployments.map((each) => each.upstream);
    assert.deepEqual(upstream({ chat: "middle", middle: "end" }), ["end"]);
    assert.deepEqual(upstream({ chat: "middle", middle: "chat" }), ["middle"]);
  });

  test("a base URL has the path that new-api appends, and no endpoint", () => {
    const url = (fields: Readonly<Record<string, string | null>>) => read(fields).deployments[0]?.place.baseUrl;
    assert.equal(url({}), undefined);
    assert.equal(url({ base_url: "https://a.example/" }), "https://a.example/v1");
    assert.equal(url({ type: "14", base_url: "https://a.example" }), "https://a.example");
    assert.equal(url({ type: "8", base_url: "https://a.example/x/chat/completions" }), "https://a.example/x");
    assert.equal(url({ type: "17" }), "https://dashscope.aliyuncs.com", "not the host of the international site");
    assert.equal(read({ type: "2" }).deployments[0]?.place.kind, undefined);
  });

  test("a channel of Azure calls deployments, which have no dots in their names if the channel is old", () => {
    const azure = { type: "3", base_url: "https://a.openai.azure.com", models: "gpt-3.5-turbo" };
    const upstream = (createdAt: string) => {
      const [deployment] = read({ ...azure, created_time: createdAt }).deployments;
      return [deployment?.upstream, deployment?.base, deployment?.place.baseUrl];
    };
    const url = "https://a.openai.azure.com/openai/v1";
    assert.deepEqual(upstream("1746835199"), ["gpt-35-turbo", "gpt-3.5-turbo", url]);
    assert.deepEqual(upstream("1746835200"), ["gpt-3.5-turbo", "gpt-3.5-turbo", url]);
  });

  test("a disabled channel is noted, and no group has its models", () => {
    const { deployments, channels, notes } = read({ status: "3" }, { group: "vip, default", models: "a,b" });
    assert.deepEqual(
      deployments.map(({ name }) => name),
      ["a", "b"],
    );
    assert.deepEqual(notes, [{ what: "channel main", why: "It is disabled." }]);
    assert.deepEqual(
      [...modelsOfGroups(channels)].map(([group, models]) => [group, [...models]]),
      [
        ["vip", ["a", "b"]],
        ["default", ["a", "b"]],
      ],
    );
  });
});
