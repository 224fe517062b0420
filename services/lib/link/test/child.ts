/** One end of a link in a process of its own: `serve <port>` or `call <address>`. */

import { insecure } from "@uag/runtime/rpc/identity";
import { createLinkClient } from "../src/client.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { aborted, echo, request, Service } from "./fixtures.ts";

const [role, argument = ""] = process.argv.slice(2);

async function serve(): Promise<void> {
  const service = await Service.start(
    {
      echo,
      half: async (exchange) => {
        exchange.head(200, []);
        exchange.write(Buffer.from("half"));
        await aborted(exchange.signal);
      },
    },
    { port: Number(argument) },
  );
  process.send?.(service.address);
}

async function call(): Promise<void> {
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [argument] });
  await client.ready();
  client.open(request("hold", { bodyless: true }), {
    onHead: () => process.send?.("head"),
    onChunk: () => {},
    onEnd: () => {},
    onError: () => {},
  });
}

await (role === "serve" ? serve() : call());
