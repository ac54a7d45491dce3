/** Route of the tool page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/tools/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
