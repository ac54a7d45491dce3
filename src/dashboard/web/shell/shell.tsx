/**
 * The frame of signed-in pages: navigation at the side (a drawer on a phone), the page, live
 * notices.
 */
import { Link, Outlet, useLocation, useMatches, useRouter } from "@tanstack/react-router";
import { Suspense, useEffect, useId, useState, useSyncExternalStore } from "react";
import { useText } from "../i18n/text.tsx";
import { LiveProvider, useLive } from "../live/live.tsx";
import { useSession } from "../session.ts";
import { IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { useFocusRestore } from "../ui/focus-restore.ts";
import { Icon, Mark } from "../ui/icon.tsx";
import { EmptyState } from "../ui/states.tsx";
import { LeaveGuard } from "../ui/unsaved.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { ConfirmSession } from "./confirm-session.tsx";
import { ImpersonationBanner } from "./impersonation-banner.tsx";
import { isWithin, navigationFor, type Section } from "./navigation.ts";
import { PaletteButton, usePalette } from "./palette-button.tsx";
import { Pending } from "./route-states.tsx";

/** Same width as in styles/shell.css: the navigation fits at the side. */
const WIDE = matchMedia("(min-width: 861px)");
function subscribeWidth(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

export function Shell() {
  return (
    <LiveProvider>
      <Frame />
    </LiveProvider>
  );
}

function Frame() {
  const { t, time } = useText();
  const session = useSession();
  const { lostSince } = useLive();
  const { pathname } = useLocation();
  useFocusAfterNavigation();
  useFocusRestore();
  const { open: search, palette } = usePalette();
  const isWide = useSyncExternalStore(subscribeWidth, () => WIDE.matches);
  const needsTenant = useMatches({
    select: (matches) =>
      !matches.some(({ staticData: { role } }) => role === "account" || role === "operator"),
  });
  return (
    <div className={lostSince === null ? "shell" : "shell stale"}>
      <a className="skip" href="#content">
        {t("nav.skip")}
      </a>
      {isWide ? <Sidebar onSearch={search} /> : <TopBar key={pathname} onSearch={search} />}
      <main className="main" id="content" tabIndex={-1}>
        {lostSince !== null && (
          <p className="offline-bar" role="alert">
            <Icon name="warning" />
            {t("offline.bar", { time: time(new Date(lostSince).toISOString()) })}
          </p>
        )}
        <ImpersonationBanner />
        <SectionTabs />
        <Suspense fallback={<Pending />}>
          {session.tenant || !needsTenant ? (
            <Outlet />
          ) : (
            <EmptyState icon="team" title={t("state.no_tenant")}>
              {t("state.no_tenant_body")}
            </EmptyState>
          )}
        </Suspense>
        <ConfirmSession />
        <LeaveGuard />
        {palette}
      </main>
    </div>
  );
}

/** If the focused link disappears with its page, focuses the new page. */
function useFocusAfterNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        const { activeElement } = document;
        if (
          fromLocation &&
          pathChanged &&
          (activeElement === null || activeElement === document.body)
        )
          document.getElementById("content")?.focus({ preventScroll: true });
      }),
    [router],
  );
}

function Brand() {
  return (
    <Link to="/" className="brand">
      <Mark />
      Linevoice
    </Link>
  );
}

function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { t } = useText();
  const session = useSession();
  const { calls } = useLive();
  return (
    <header className="sidebar">
      <Brand />
      <PaletteButton onOpen={onSearch} />
      <nav aria-label={t("nav.label")}>
        {navigationFor(session).map((group) => (
          <div key={group.title ?? "top"}>
            {group.title && <p className="nav-title">{t(group.title)}</p>}
            <div className="nav">
              {group.sections.map((section) => (
                <SectionLink key={section.to} section={section} live={calls.length} />
              ))}
            </div>
          </div>
        ))}
      </nav>
      <div className="sidebar-foot">
        <div className="nav">
          <a href="/docs/">
            <Icon name="external" />
            {t("nav.docs")}
          </a>
        </div>
        <AccountMenu />
      </div>
    </header>
  );
}

function SectionLink({ section, live }: { section: Section; live: number }) {
  const { t } = useText();
  const { pathname } = useLocation();
  const { to, icon, label } = section;
  return (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={isWithin(section, pathname) ? "page" : undefined}
    >
      <Icon name={icon} />
      {t(label)}
      {to === "/live" && live > 0 && <span className="nav-count">{live}</span>}
    </Link>
  );
}

/** Tabs with the pages of one section. */
function SectionTabs() {
  const { t } = useText();
  const { pathname } = useLocation();
  const session = useSession();
  const section = navigationFor(session)
    .flatMap(({ sections }) => sections)
    .find(({ pages }) => pages.length > 1 && pages.some(({ to }) => to === pathname));
  if (!section) return null;
  return (
    <nav className="tabs section-tabs" aria-label={t(section.label)}>
      {section.pages.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          className="tab"
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}

function TopBar({ onSearch }: { onSearch: () => void }) {
  const { t } = useText();
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <header className="topbar">
      <Brand />
      <IconButton icon="menu" label={t("nav.open")} onClick={() => setOpen(true)} />
      {open && (
        <Modal className="drawer" labelledBy={id} onClose={() => setOpen(false)}>
          <h2 className="visually-hidden" id={id}>
            {t("nav.label")}
          </h2>
          <Sidebar onSearch={onSearch} />
        </Modal>
      )}
    </header>
  );
}
