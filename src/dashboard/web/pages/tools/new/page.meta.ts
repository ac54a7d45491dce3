/** Route of the new tool page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/tools/new",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
