/** Route of the new agent page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/agents/new",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
