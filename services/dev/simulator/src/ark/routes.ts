import type { Provider } from "../http/types.ts";
import { arkProtocol } from "./protocol.ts";
import { createSeedance } from "./seedance.ts";
import { seedreamImages } from "./seedream.ts";
import { deleteSeedance, getSeedance, listSeedance } from "./tasks.ts";

const tasks = "/api/v3/contents/generations/tasks";

export const ark: Provider = {
  name: "ark",
  prefix: "/ark",
  protocol: arkProtocol,
  routes: [
    { method: "POST", path: tasks, operation: "videos.tasks.create", streams: false, handle: createSeedance },
    { method: "GET", path: tasks, operation: "videos.tasks.list", handle: listSeedance },
    { method: "GET", path: `${tasks}/{id}`, operation: "videos.tasks.get", handle: getSeedance },
    { method: "DELETE", path: `${tasks}/{id}`, operation: "videos.tasks.delete", handle: deleteSeedance },
    { method: "POST", path: "/api/v3/images/generations", operation: "images.generations", handle: seedreamImages },
  ],
};
