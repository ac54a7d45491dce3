/** Route of the call page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/calls/$uuid",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
