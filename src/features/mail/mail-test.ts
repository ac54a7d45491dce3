/** Sends an email at once, outside the queue, so that the operator sees the provider's response. */
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { messageIdFor } from "./message.ts";
import type { MailProvider } from "./provider.ts";

interface MailTestResult {
  readonly sent: boolean;
  readonly provider: MailProvider["name"];
  /** Why it was rejected; null if it was accepted. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** Never rejects: a failure is a result. */
export type MailTest = (to: string) => Promise<MailTestResult>;

const TIMEOUT_MS = 30_000;
const ERROR_LENGTH_MAX = 500;

export function createMailTest(deps: {
  readonly provider: MailProvider;
  readonly from: string;
  readonly clock: Clock;
  readonly random: Random;
}): MailTest {
  const { provider, from, clock, random } = deps;

  async function send(to: string, signal: AbortSignal): Promise<void> {
    const key = `test:${hex(random.bytes(16))}`;
    const date = new Date(clock.now());
    await provider.send(
      {
        key,
        callUuid: null,
        from,
        to,
        date,
        attachment: null,
        messageId: messageIdFor(key, from),
        subject: "Linevoice: test mail",
        text: `This email was sent from the operator's dashboard at ${date.toISOString()}.\nIf you can read it, email works.\n`,
      },
      signal,
    );
  }

  return async (to) => {
    const startedAt = clock.monotonic();
    const done = new AbortController();
    const late = sleep(clock, TIMEOUT_MS, done.signal).then(() => {
      throw new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
    });
    late.catch(() => undefined);
    const error = await Promise.race([send(to, done.signal), late])
      .then(() => null)
      .catch((problem) => describeError(problem).slice(0, ERROR_LENGTH_MAX))
      .finally(() => done.abort(new Error("done")));
    const durationMs = Math.round(clock.monotonic() - startedAt);
    return { sent: error === null, provider: provider.name, error, durationMs };
  };
}
