import { conformance } from "@uag/harness/conformance";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { startOperations } from "@uag/harness/start-operations";
import { readConfig } from "@uag/runtime/config";
import { newId } from "@uag/runtime/ids";
import { insecure } from "@uag/runtime/rpc/identity";
import { schema } from "../src/config.ts";
import { buildVideo } from "../src/service.ts";
import { catalogOf, order, unused } from "./support.ts";

/** No task is polled for as long as a test takes. */
const unpolled = { POLL_SCALE: "10" };

conformance({
  file: import.meta.filename,
  start: (url, parts) =>
    startOperations({
      catalog: catalogOf([url]),
      ...parts,
      async operations(context, resources, admission) {
        const { url: MongodbUrl, database: MongodbDatabase } = resources.use(scratchDatabase());
        const settings = readConfig(schema, {
          ...unused,
          ...unpolled,
          MONGODB_URL: MongodbUrl,
          MONGODB_DATABASE: MongodbDatabase,
        });
        const built = await buildVideo({ context, resources, admission, identity: insecure, settings });
        return built.operations;
      },
    }),
  cases: [
    {
      name: "a video",
      operation: "videos.generations",
      body: order(),
      isTask: true,
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ request_id: "r", output: { task_id: newId("up"), task_status: "PENDING" } }));
      },
    },
  ],
});
