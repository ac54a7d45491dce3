/** Route of the invitation page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/invitation",
  role: "public",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
