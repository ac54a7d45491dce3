/**
 * Mails the operators when a provider cannot be used. At most one mail a day for the same problem, for
 * all nodes and calls together.
 */
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MailDraft } from "../../domain/mail/ports.ts";
import type { ProviderNotice } from "./provider-watch.ts";

interface ProviderNoticeOptions {
  readonly users: () => Promise<
    readonly { readonly id: number; readonly email: string; readonly operator: boolean }[]
  >;
  readonly mailer: { send(mail: MailDraft, userId: number): Promise<boolean> };
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns a function to call with each problem. It returns immediately and never throws. */
export function createProviderNotice({
  users,
  mailer,
  clock,
  log,
}: ProviderNoticeOptions): (notice: ProviderNotice) => void {
  async function notify({ key, sentence }: ProviderNotice): Promise<void> {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const operators = (await users()).filter(({ operator }) => operator);
    for (const { id, email } of operators) {
      const mail = {
        ...{ key: `provider-trouble:${day}:${key}:${email}`, callUuid: null, recipient: email },
        subject: "Calls are without one of their providers",
        body: `${sentence}\n\nCalls go on with the fallback. \`linevoice doctor\` asks the provider again, and tells what is missing.\n`,
        attachment: null,
      };
      await mailer.send(mail, id);
    }
  }

  return (notice) => {
    notify(notice).catch((error) =>
      log.error("provider.notice_failed", { error: describeError(error) }),
    );
  };
}
