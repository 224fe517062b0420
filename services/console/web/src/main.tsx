import "@fontsource-variable/inter/index.css";
import "@mantine/core/styles.css";
import "./app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client.ts";
import { startI18n } from "./i18n/i18n.ts";
import { createAppRouter, loadParts } from "./router.tsx";
import { forget, mayBeSignedIn, sessionQuery } from "./session/session.ts";
import { Themed } from "./ui/themed.tsx";

const client = createQueryClient(async () => {
  // Before there was a session there is none to end: the routes send such visitors to the sign-in.
  if (client.getQueryData(sessionQuery.queryKey) === undefined) return;
  if (router.state.location.pathname === "/sign-in") return;
  await router.navigate({ to: "/sign-in", search: { next: router.state.location.href, ended: true } });
  forget(client);
});
const router = createAppRouter(client);

if (mayBeSignedIn()) {
  void client.prefetchQuery(sessionQuery);
  loadParts(router);
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
await startI18n();
createRoot(root).render(
  <StrictMode>
    <Themed>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Themed>
  </StrictMode>,
);
