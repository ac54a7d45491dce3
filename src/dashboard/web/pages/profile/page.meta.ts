/** Route of the profile page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/profile",
  role: "account",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
