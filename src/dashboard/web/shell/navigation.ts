/** The navigation: the entries of all pages by group, and the tabs of each section. */
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

/** An entry of the sidebar and its pages, the entry's own page first. */
export interface Section extends Destination {
  readonly pages: readonly Destination[];
}

interface Group {
  readonly title: MessageKey | null;
  readonly sections: readonly Section[];
}

interface Reader {
  readonly operator: boolean;
}

const METAS: readonly PageMeta[] = PAGES;

function membersOf(path: string): Destination[] {
  const found = METAS.flatMap(({ path: to, role, navigation }) =>
    navigation && "within" in navigation && navigation.within === path
      ? [{ to, role, ...navigation }]
      : [],
  );
  return found.sort((a, b) => a.position - b.position);
}

function sectionsIn(group: string): Section[] {
  const found = METAS.flatMap(({ path: to, role, navigation }) => {
    if (!navigation || !("group" in navigation) || navigation.group !== group) return [];
    const { label, icon, position, section = label } = navigation;
    const head = { to, role, label, icon };
    return [{ ...head, label: section, position, pages: [head, ...membersOf(to)] }];
  });
  return found.sort((a, b) => a.position - b.position);
}

const NAVIGATION: readonly Group[] = Object.entries(NAVIGATION_GROUPS).map(([group, title]) => ({
  title,
  sections: sectionsIn(group),
}));

/** Omits groups without an entry for this reader. */
export const navigationFor = (reader: Reader): Group[] =>
  NAVIGATION.map(({ title, sections }) => ({
    title,
    sections: sections.filter(({ role }) => role !== "operator" || reader.operator),
  })).filter(({ sections }) => sections.length > 0);

/** Every page that this reader may open, in the order of the navigation. */
export const pagesFor = (reader: Reader): Destination[] =>
  navigationFor(reader).flatMap(({ sections }) => sections.flatMap(({ pages }) => pages));

/** Whether the path belongs to one of the section's pages. */
export const isWithin = ({ pages }: Section, pathname: string): boolean =>
  pages.some(({ to }) => (to === "/" ? pathname === "/" : `${pathname}/`.startsWith(`${to}/`)));
