/**
 * The two OpenAPI documents: where each is in the repository, where it is served, and the page that
 * shows it to people.
 */
export const documents = {
  public: {
    file: new URL("../../openapi.json", import.meta.url),
    path: "/openapi.json",
    page: "/docs",
    title: "API reference",
  },
  admin: {
    file: new URL("../../openapi-admin.json", import.meta.url),
    path: "/openapi/admin.json",
    page: "/docs/admin",
    title: "Admin API",
  },
} as const;

export type DocumentName = keyof typeof documents;

/** Both names, in the order in which they are offered. */
export const documentNames = Object.keys(documents) as readonly DocumentName[];
