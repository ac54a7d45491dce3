/** Route and navigation entry of the number list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/numbers",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: {
    group: "connect",
    position: 1,
    label: "nav.numbers",
    icon: "number",
    section: "nav.section.numbers",
  },
} as const satisfies PageMeta;
