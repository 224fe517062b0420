import assert from "node:assert/strict";
import { test } from "node:test";
import { awsSourceIn, azureSourceIn, isTokenSource } from "./own-identity.ts";

const roleArn = "arn:aws:iam::123456789012:role/gateway";
const full = (url: string) => awsSourceIn({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url });

test("the role of a workload at AWS is the one that AWS's own clients use", () => {
  const relative = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1" };
  const web = { AWS_WEB_IDENTITY_TOKEN_FILE: "/var/run/token", AWS_ROLE_ARN: roleArn };
  assert.deepEqual(awsSourceIn({ ...web, ...relative }), {
    kind: "web_identity",
    roleArn,
    tokenFile: "/var/run/token",
  });
  const none = { token: undefined, tokenFile: undefined };
  assert.deepEqual(awsSourceIn(relative), {
    kind: "container",
    url: "http://169.254.170.2/v2/credentials/1",
    ...none,
  });
  const pod = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1/credentials",
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/var/run/pod",
  };
  const url = pod.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  assert.deepEqual(awsSourceIn(pod), { kind: "container", url, token: undefined, tokenFile: "/var/run/pod" });
  assert.deepEqual(awsSourceIn({}), { kind: "instance", url: "http://169.254.169.254" });
  assert.match(String(awsSourceIn({ AWS_EC2_METADATA_DISABLED: "true" })), /names no role of AWS/);
  assert.match(String(awsSourceIn({ AWS_WEB_IDENTITY_TOKEN_FILE: "/t" })), /without AWS_ROLE_ARN/);
});

test("container credentials are fetched by https, or from the addresses of ECS, EKS and the machine only", () => {
  for (const url of [
    "https://credentials.example.com/key",
    "http://169.254.170.2/x",
    "http://169.254.170.23/v1/credentials",
    "http://[fd00:ec2::23]/v1/credentials",
    "http://127.0.0.1:9911/x",
    "http://localhost:9911/x",
    "http://[::1]:9911/x",
  ])
    assert.equal(typeof full(url), "object", url);
  for (const url of [
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.3/x",
    "http://10.0.0.1/x",
    "http://credentials.example.com/key",
    "http://169.254.170.2.example.com/x",
    "http://169.254.170.2@10.0.0.1/x",
    "http://user:word@169.254.170.2/x",
    "ftp://169.254.170.2/x",
    "not a URL",
  ])
    assert.match(String(full(url)), /AWS_CONTAINER_CREDENTIALS_FULL_URI must be/, url);
  const path = awsSourceIn({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "@10.0.0.1/x" });
  assert.match(String(path), /RELATIVE_URI is not a path/);
});

test("the instance's metadata is read from its own addresses only", () => {
  const at = (url: string) => awsSourceIn({ AWS_EC2_METADATA_SERVICE_ENDPOINT: url });
  assert.deepEqual(at("http://[fd00:ec2::254]/"), { kind: "instance", url: "http://[fd00:ec2::254]" });
  for (const url of ["http://169.254.170.2", "http://192.168.0.1", "https://169.254.169.254"])
    assert.match(String(at(url)), /AWS_EC2_METADATA_SERVICE_ENDPOINT must be/, url);
});

test("the identity of a workload at Azure is the one that Azure's own clients use, at the platform's addresses only", () => {
  const pod = { AZURE_FEDERATED_TOKEN_FILE: "/t", AZURE_TENANT_ID: "contoso", AZURE_CLIENT_ID: "id" };
  assert.deepEqual(azureSourceIn(pod), {
    kind: "federated",
    tokenUrl: "https://login.microsoftonline.com/contoso/oauth2/v2.0/token",
    clientId: "id",
    tokenFile: "/t",
  });
  assert.match(String(azureSourceIn({ ...pod, AZURE_TENANT_ID: "" })), /without AZURE_TENANT_ID/);
  assert.match(String(azureSourceIn({ ...pod, AZURE_AUTHORITY_HOST: "http://10.0.0.1" })), /AUTHORITY_HOST must be/);
  const app = (url: string) => azureSourceIn({ IDENTITY_ENDPOINT: url, IDENTITY_HEADER: "h" });
  for (const url of ["http://localhost:42356/msi/token", "http://169.254.129.2:8081/msi/token"])
    assert.deepEqual(app(url), { kind: "app_service", url, header: "h" });
  for (const url of ["http://169.254.169.254/token", "http://169.254.170.2/token", "http://10.0.0.1/token"])
    assert.match(String(app(url)), /IDENTITY_ENDPOINT must be/, url);
  assert.deepEqual(azureSourceIn({}), { kind: "instance", url: "http://169.254.169.254" });
  const elsewhere = azureSourceIn({ AZURE_POD_IDENTITY_AUTHORITY_HOST: "http://10.0.0.1" });
  assert.match(String(elsewhere), /must be http at 169\.254\.169\.254/);
});

test("a token's URL is https, or that of the machine's metadata", () => {
  for (const url of ["https://issuer.example.com/token", "http://169.254.169.254/metadata/identity/oauth2/token"])
    assert.equal(isTokenSource(url), true, url);
  for (const url of ["http://169.254.170.2/x", "http://10.0.0.1/x", "file:///var/run/token"])
    assert.equal(isTokenSource(url), false, url);
});
