/**
 * Mails the operators when a provider is unusable. At most one mail per day for the same problem, over all
 * nodes and calls.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { textsOf } from "../core/texts.ts";
import type { MailDraft } from "../features/mail/ports.ts";
import type { Reader } from "../features/mail/reader.ts";
import type { ProviderNotice } from "./provider-health.ts";
import noticeTexts from "./provider-notice-texts.json" with { type: "json" };

interface ProviderNoticeOptions {
  readonly users: () => Promise<
    readonly {
      readonly id: number;
      readonly email: string;
      readonly locale: Reader["locale"];
      readonly operator: boolean;
    }[]
  >;
  readonly mailer: { send(mail: () => MailDraft, userId: number): Promise<boolean> };
  readonly clock: Clock;
  readonly log: Log;
}

/** The problem itself is described in the words of the log and `linevoice doctor`. */
const TEXTS = textsOf(noticeTexts);

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
    for (const { id, email, locale } of operators) {
      const { subject, body } = TEXTS[locale];
      const mail = {
        key: `provider-trouble:${day}:${key}:${email}`,
        callUuid: null,
        recipient: email,
        subject,
        body: `${sentence}\n\n${body}\n`,
        attachment: null,
      };
      await mailer.send(() => mail, id);
    }
  }

  return (notice) => {
    notify(notice).catch((error) =>
      log.error("provider.notice_failed", { error: describeError(error) }),
    );
  };
}
