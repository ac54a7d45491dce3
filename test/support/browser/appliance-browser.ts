/** A person signed in at a whole appliance's dashboard. */
import type { App } from "../../../src/app/app.ts";
import { Browser } from "./dashboard-session.ts";

let people = 0;

export async function browserOf(
  app: App,
  draft: {
    readonly tenantId: number;
    readonly role?: "owner" | "member" | "viewer";
    readonly operator?: boolean;
  },
): Promise<Browser> {
  const { user } = await app.ask("user.create", {
    tenant: draft.tenantId,
    email: `visitor${++people}@example.com`,
    name: null,
    role: draft.role ?? "owner",
    operator: draft.operator ?? false,
  });
  const { url } = await app.services.identity.setup.createSignInLink(user.id);
  const browser = new Browser(app.addresses.http);
  const answer = await browser.ask("POST", "/sign-in/link", { token: url.split("#link=")[1] });
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`);
  return browser;
}
