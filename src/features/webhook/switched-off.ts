/** Handles a disabled endpoint: the tenant gets exactly one email, even across crashes. */

import type { Queries } from "../../core/database.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import type { SwitchedOff } from "./outcome.ts";
import type { WebhookStores } from "./stores.ts";
import { switchedOffMail } from "./switched-off-mail.ts";

export interface SwitchedOffListener {
  /** Call it in the transaction that disables the endpoint. */
  store(queries: Queries, tenantId: number, off: SwitchedOff): Promise<void>;
  /** Call it after the commit. */
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
