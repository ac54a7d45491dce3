/**
 * A server with a separate clock for one test file, to which people sign in from many addresses.
 */

import { Browser, person } from "../browser/dashboard-session.ts";
import type { Answer } from "./api-server.ts";
import { timedServer } from "./timed-server.ts";

export const PASSWORD = "keturi zodziai be rysio";

/** Token of a printed or mailed link. */
export const tokenOf = (url: string): string => url.split("=")[1] ?? "";

export async function signInWorld() {
  const timed = await timedServer({ trustedProxies: ["127.0.0.1"] });
  const tenantId = (await timed.server.tenant()).id;
  let sources = 0;
  return {
    timed,
    clock: timed.clock,
    tenantId,
    /** Each test uses a different source address, so that none locks out another. */
    newSource: () => ({ "x-forwarded-for": `192.0.2.${++sources}` }),
    /** Creates an account with the password. */
    async account(email: string): Promise<{ id: number; email: string }> {
      const { server } = timed;
      const made = await person(server, { tenantId, email });
      const { link } = await server.identity.setup.resetLink(email, false);
      await server.identity.account.resetPassword(tokenOf(link.url), PASSWORD);
      return made;
    },
    signIn: (
      email: string,
      password: string,
      source: Record<string, string>,
      browser = new Browser(timed.server.base),
    ): Promise<Answer> => browser.ask("POST", "/sign-in", { email, password }, source),
  };
}
