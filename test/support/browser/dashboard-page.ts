/** The dashboard in Chromium, signed in. Records every event that must never happen in it. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { App } from "../../../src/app/app.ts";

export type Theme = "light" | "dark";

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Uncaught errors, console errors, and violations of the Content-Security-Policy. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  /** The reader's time zone. Default: the company's. */
  readonly timeZone?: string;
  /** With animations, as most people see the pages. Default: none, to avoid repainting. */
  readonly isMoving?: boolean;
  /** The visit whose session to use. Default: signed out. */
  readonly as?: Visit;
}

/** A new browser context with nothing stored except a session. The caller must close it. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    colorScheme: options.theme ?? "light",
    viewport: { width: options.width ?? 1280, height: options.height ?? 860 },
    locale: options.locale ?? "en-GB",
    reducedMotion: options.isMoving ? "no-preference" : "reduce",
    timezoneId: options.timeZone ?? "Europe/Vilnius",
    permissions: ["microphone", "clipboard-read", "clipboard-write"],
  });
  if (options.as) await context.addCookies(await options.as.context.cookies());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  return { context, page, complaints };
}

/** Creates an account and signs it in by a one-time link, through the sign-in page. */
export async function signIn(
  { page }: Visit,
  app: App,
  draft: {
    readonly tenantId: number;
    readonly name?: string;
    readonly email: string;
    readonly operator?: boolean;
    readonly role?: "owner" | "member" | "viewer";
  },
): Promise<void> {
  const { user } = await app.ask("user.create", {
    tenant: draft.tenantId,
    email: draft.email,
    name: draft.name ?? null,
    role: draft.role ?? "owner",
    operator: draft.operator ?? false,
  });
  const { url } = await app.services.identity.setup.createSignInLink(user.id);
  await page.goto(app.addresses.http + new URL(url).pathname + new URL(url).hash);
  await page.locator("main#content h1").waitFor();
}

/**
 * Navigates between pages and tabs inside the app, as links do: a new document would compile all
 * scripts again. If no page of the app is open, loads the URL.
 */
export async function goTo(page: Page, app: App, path: string): Promise<void> {
  const to = new URL(`${app.addresses.http}/app${path}`);
  const at = new URL(page.url());
  if (at.href === to.href || (await page.locator("nav").count()) === 0) await page.goto(to.href);
  else
    await page.evaluate(
      ({ href, isElsewhere }) => {
        if (isElsewhere) document.querySelector("h1")?.setAttribute("data-left", "");
        history.pushState({}, "", href);
      },
      { href: to.href, isElsewhere: at.pathname !== to.pathname },
    );
  await page.locator("h1:not([data-left])").first().waitFor();
  // A tab on a narrow screen may be next to the page on a wide one.
  await page.waitForFunction((tab) => {
    const shown = document.querySelector(`[data-tab="${tab}"]`);
    return !shown || shown.matches("[aria-selected=true]");
  }, to.searchParams.get("tab"));
}
