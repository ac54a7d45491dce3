/** Route of the new password page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/reset-password",
  role: "public",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
