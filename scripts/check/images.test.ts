import assert from "node:assert/strict";
import { test } from "node:test";
import { images, ofDockerfile, ofTemplate, ofValues, ofYaml, unpinned } from "./images.ts";

const pinned = `mongo:8.0@sha256:${"a".repeat(64)}`;

test("finds the images of a Dockerfile, and neither its stages nor its arguments", () => {
  const text = [
    "ARG NODE_IMAGE=node:24-slim",
    ["FROM $", "{NODE_IMAGE} AS build"].join(""),
    "FROM debian:12 AS base",
    "FROM --platform=linux/amd64 alpine:3",
    "FROM base",
    "FROM scratch",
  ];
  const found = ofDockerfile("Dockerfile", text.join("\n")).map(({ image }) => image);
  assert.deepEqual(found, ["node:24-slim", "debian:12", "alpine:3"]);
});

test("finds the images of compose files and manifests at any depth, with the default of a variable", () => {
  const variable = ["$", "{MONGO_IMAGE:-mongo:8.0}"].join("");
  const content = { services: { mongodb: { image: variable } }, jobs: [{ container: { image: "nats:2" } }] };
  assert.deepEqual(
    ofYaml("f", content).map(({ image }) => image),
    ["mongo:8.0", "nats:2"],
  );
});

test("finds the images that a chart's template names itself, and not those from its values", () => {
  const text = [
    "  - name: init",
    "    image: busybox:1",
    '  - image: "alpine:3"',
    'image: {{ include "common.image" . }}',
    "  imagePullPolicy: Always",
  ];
  assert.deepEqual(
    ofTemplate("t", text.join("\n")).map(({ image }) => image),
    ["busybox:1", "alpine:3"],
  );
});

test("finds the images of a chart's values at any depth: the chart's version has its digest, another tag needs its own", () => {
  const chart = { appVersion: "8.0", annotations: { imageDigest: pinned.replace(/.*@/, "") } };
  const values = {
    image: { repository: "mongo", tag: "", digest: "" },
    companion: { image: { repository: "uag", tag: "" } },
    exporter: { image: { repository: "exporter", tag: "1" } },
  };
  assert.deepEqual(
    ofValues("v", values, chart).map(({ image }) => image),
    [pinned, "exporter:1"],
  );
});

test("refuses an image without a digest, and two digests of one image", () => {
  const other = pinned.replaceAll("a".repeat(64), "b".repeat(64));
  const file = "f";
  assert.deepEqual(unpinned([{ file, image: pinned }]), []);
  assert.deepEqual(unpinned([{ file, image: "mongo:8.0" }]), ["f: mongo:8.0 has no digest"]);
  assert.deepEqual(unpinned([{ file, image: "mongo@sha256:short" }]), ["f: mongo@sha256:short has no digest"]);
  const two = [
    { file, image: pinned },
    { file: "g", image: other },
  ];
  assert.deepEqual(unpinned(two), ["mongo has several digests: f, g"]);
});

test("every image of a third party is pinned by one digest", async () => {
  assert.deepEqual(await images.run({ fix: false }), []);
});
