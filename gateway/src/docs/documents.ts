/**
 * The two OpenAPI documents: their file in the repository, their public path, and the page that
 * renders them.
 */
export const documents = {
  public: {
    file: new URL("../../openapi.json", import.meta.url),
    path: "/openapi.json",
    page: "/docs/reference",
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

/** Both names, in display order. */
export const documentNames = Object.keys(documents) as readonly DocumentName[];
