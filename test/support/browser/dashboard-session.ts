/**
 * A dashboard client for HTTP only: keeps the session cookie and sends the Origin. Tests that need
 * a real browser use Chromium (test/browser).
 */
import type { Identity } from "../../../src/features/identity/identity.ts";
import type { TenantRole } from "../../../src/features/identity/stores.ts";
import type { Answer } from "../http/api-server.ts";

export interface DashboardServer {
  readonly base: string;
  readonly identity: Identity;
}

export interface Person {
  readonly id: number;
  readonly email: string;
}

export class Browser {
  cookie: string | null = null;
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  /** `path` from the root: `/api/dashboard/session`, `/api/v1/agents`. */
  async fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.base + path, {
      method,
      redirect: "manual",
      headers: {
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(method === "GET" || method === "HEAD" ? {} : { origin: this.base }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const set = response.headers.get("set-cookie");
    if (set !== null) {
      const [pair = ""] = set.split(";");
      this.cookie = pair.endsWith("=") ? null : pair;
    }
    const text = await response.text();
    let json: unknown = null;
    try {
      json = JSON.parse(text);
    } catch {
      // The response is not JSON.
    }
    return { status: response.status, headers: response.headers, text, json };
  }

  /** `path` below /api/dashboard. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    return this.fetch(method, `/api/dashboard${path}`, body, headers);
  }

  /** The cookie's token. */
  get token(): string {
    return this.cookie?.split("=")[1] ?? "";
  }
}

let people = 0;

/** Creates an account with a role in a tenant, without a password. */
export async function person(
  { identity }: DashboardServer,
  draft: { tenantId: number; role?: TenantRole; operator?: boolean; email?: string },
): Promise<Person> {
  const { user } = await identity.setup.createUser({
    email: draft.email ?? `person${++people}@example.com`,
    name: null,
    tenantId: draft.tenantId,
    role: draft.role ?? "owner",
    operator: draft.operator ?? false,
  });
  return { id: user.id, email: user.email };
}

/** Creates such an account and signs it in by a one-time link. */
export async function signedInBrowser(
  server: DashboardServer,
  draft: Parameters<typeof person>[1],
): Promise<Browser & { readonly person: Person }> {
  const made = await person(server, draft);
  const { url } = await server.identity.setup.createSignInLink(made.id);
  const browser = new Browser(server.base);
  const answer = await browser.ask("POST", "/sign-in/link", { token: url.split("#link=")[1] });
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`);
  return Object.assign(browser, { person: made });
}
