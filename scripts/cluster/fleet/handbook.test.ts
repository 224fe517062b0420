import assert from "node:assert/strict";
import { test } from "node:test";
import { commandsOf } from "./handbook.ts";

const handbook = `# Operations

## Restore
Read this first.

1. **Stop** everything.

       kubectl scale a --replicas=0
       kubectl wait pod -l 'x' \\
         --for=delete
       kubectl annotate b paused=0   # if keda.enabled
2. **Restore** the database.
3. **Open**: \`kubectl scale a --replicas=2\`.

Afterwards, run \`kubectl get pods\`.

## Upgrade

1. Run \`kubectl version\`.
`;

test("a step of the handbook yields its own commands, without those of what the cluster lacks", () => {
  const stop = "kubectl scale a --replicas=0\nkubectl wait pod -l 'x' \\\n  --for=delete";
  assert.equal(commandsOf(handbook, "Restore", 1), stop);
  assert.equal(commandsOf(handbook, "Restore", 3), "kubectl scale a --replicas=2");
});

test("a step without commands, and one that does not exist, are errors", () => {
  assert.throws(() => commandsOf(handbook, "Restore", 2), /step 2 of "Restore" has no commands/);
  assert.throws(() => commandsOf(handbook, "Restore", 9), /has no commands/);
  assert.throws(() => commandsOf(handbook, "Nothing", 1), /has no commands/);
});
