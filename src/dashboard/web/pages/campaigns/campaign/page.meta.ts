/** Route of the campaign page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/campaigns/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
