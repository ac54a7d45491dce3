/** Where the page of a new tool stands. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/tools/new",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
