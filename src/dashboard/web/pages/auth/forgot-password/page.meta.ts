/** Route of the forgotten password page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/forgot-password",
  role: "public",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
