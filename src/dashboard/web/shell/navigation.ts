/** What the navigation offers: the entries of all pages, by group. */
import { PAGES } from "../generated/pages.gen.ts";
import type { MessageKey } from "../i18n/catalogue.ts";
import { NAVIGATION_GROUPS, type PageMeta, type PageRole } from "../page-meta.ts";
import type { IconName } from "../ui/icon.tsx";

interface Destination {
  readonly to: string;
  readonly role: PageRole;
  readonly label: MessageKey;
  readonly icon: IconName;
}

interface Group {
  readonly title: MessageKey | null;
  readonly destinations: readonly Destination[];
}

function destinationsIn(group: string): Destination[] {
  const found = PAGES.flatMap(({ path, role, navigation }: PageMeta) =>
    navigation?.group === group ? [{ to: path, role, ...navigation }] : [],
  );
  return found.sort((a, b) => a.position - b.position);
}

const NAVIGATION: readonly Group[] = Object.entries(NAVIGATION_GROUPS).map(([group, title]) => ({
  title,
  destinations: destinationsIn(group),
}));

/** Groups without an entry for this reader are left out. */
export const navigationFor = (reader: { readonly operator: boolean }): Group[] =>
  NAVIGATION.map(({ title, destinations }) => ({
    title,
    destinations: destinations.filter(({ role }) => role !== "operator" || reader.operator),
  })).filter(({ destinations }) => destinations.length > 0);
