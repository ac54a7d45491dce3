/** Route of the first owner page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/owner",
  role: "public",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
