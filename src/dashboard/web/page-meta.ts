/**
 * What each page states in its `page.meta.ts`. The build collects these files into the routes and the
 * navigation (scripts/dashboard-sources.ts): a page needs no entry anywhere else.
 */
import type { ReactNode } from "react";
import type { MessageKey } from "./i18n/catalogue.ts";
import type { IconName } from "./ui/icon.tsx";

/**
 * Who may open a page. `public`: everybody, without the frame; `account`: whoever is signed in, with or
 * without a company; `tenant`: members of a company; `operator`: the operator of the appliance.
 */
export type PageRole = "public" | "account" | "tenant" | "operator";

/** The groups of the navigation, in their order, with their titles. */
export const NAVIGATION_GROUPS = {
  start: null,
  calls: "nav.group.calls",
  build: "nav.group.build",
  connect: "nav.group.connect",
  company: "nav.group.company",
  appliance: "nav.group.appliance",
} as const satisfies Readonly<Record<string, MessageKey | null>>;

export interface PageMeta {
  /** Below /app; `$name` is a parameter. */
  readonly path: `/${string}`;
  readonly role: PageRole;
  /** The page's code, loaded when the page is visited. */
  readonly load: () => Promise<{ readonly Page: () => ReactNode }>;
  /** What the page asks the server first: asked while its code is still on its way. */
  readonly firstData?: `/api/${string}`;
  /** The entry in the navigation; pages without one are reached from others. */
  readonly navigation?: SectionHead | SectionMember;
}

/** An entry of the sidebar. */
interface SectionHead {
  readonly group: keyof typeof NAVIGATION_GROUPS;
  /** Entries of a group stand in this order. */
  readonly position: number;
  readonly label: MessageKey;
  readonly icon: IconName;
  /** What the entry is called where it leads to several pages. Default: `label`. */
  readonly section?: MessageKey;
}

/** A page that stands as a tab beside the head of its section, not in the sidebar. */
interface SectionMember {
  /** Path of the head. */
  readonly within: `/${string}`;
  /** Tabs stand in this order, the head first. */
  readonly position: number;
  readonly label: MessageKey;
  readonly icon: IconName;
}
