/** Route of the agent page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/agents/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
