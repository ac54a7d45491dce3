/** What follows when an endpoint is switched off: its tenant gets a mail, once, whatever crashes. */

import type { Queries } from "../../core/database.ts";
import type { MailQueue } from "../mail/ports.ts";
import type { SwitchedOff } from "./outcome.ts";
import type { WebhookStores } from "./stores.ts";
import { switchedOffMail } from "./switched-off-mail.ts";

export interface SwitchedOffListener {
  /** In the transaction that switches it off. */
  store(queries: Queries, tenantId: number, off: SwitchedOff): Promise<void>;
  /** After the commit. */
  wake(): void;
}

export function mailWhenSwitchedOff(
  stores: WebhookStores,
  mails: Pick<MailQueue, "enqueue" | "wake">,
): SwitchedOffListener {
  return {
    async store(queries, tenantId, off) {
      const contact = await stores.health(queries).contact(tenantId, off);
      if (contact) await mails.enqueue(queries, tenantId, switchedOffMail(tenantId, off, contact));
    },
    wake: () => mails.wake(),
  };
}
