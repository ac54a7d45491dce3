/** Where the page of one call stands. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/calls/$uuid",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
