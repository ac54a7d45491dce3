/** Route of the webhook page. */
import type { PageMeta } from "../../../page-meta.ts";

export const meta = {
  path: "/webhooks/$id",
  role: "tenant",
  load: () => import("./page.tsx"),
} as const satisfies PageMeta;
