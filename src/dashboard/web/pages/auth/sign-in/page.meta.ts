/** Route of the sign-in page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/sign-in",
  role: "public",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
