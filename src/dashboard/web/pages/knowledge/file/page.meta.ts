/** Route of the knowledge file page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/knowledge/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
