/** Where the page of one tool stands. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/tools/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
