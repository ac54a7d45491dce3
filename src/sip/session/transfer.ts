/** Blind transfer by REFER (RFC 3515) on an established session, with the progress of its NOTIFYs. */
import { type Notification, type Session, SessionState, type URI } from "sip.js";
import type { Clock } from "../../core/clock.ts";
import type { ReferOutcome } from "../ports.ts";

const TRANSFER_TIMEOUT_MS = 40_000;
const NOT_TRANSFERRED: ReferOutcome = { transferred: false, sipCode: null };

/** Resolves within 40 s and never rejects. The session stays up. */
export function transfer(session: Session, target: URI, clock: Clock): Promise<ReferOutcome> {
  if (session.state !== SessionState.Established) return Promise.resolve(NOT_TRANSFERRED);
  return new Promise((resolve) => {
    const finish = (outcome: ReferOutcome) => {
      timer.cancel();
      session.stateChange.removeListener(onState);
      resolve(outcome);
    };
    const onState = (state: SessionState) => {
      if (state === SessionState.Terminated) finish(NOT_TRANSFERRED);
    };
    const timer = clock.after(TRANSFER_TIMEOUT_MS, () => finish(NOT_TRANSFERRED));
    session.stateChange.addListener(onState);
    const refused = (sipCode: number | undefined) =>
      finish({ transferred: false, sipCode: sipCode ?? null });
    session
      .refer(target, {
        onNotify: (notification) => {
          notification.accept().catch(() => {});
          const outcome = outcomeOf(notification);
          if (outcome) finish(outcome);
        },
        requestDelegate: {
          onReject: ({ message }) => refused(message.callId ? message.statusCode : undefined),
          onRedirect: ({ message }) => refused(message.statusCode),
        },
      })
      .catch(() => finish(NOT_TRANSFERRED));
  });
}

/** Undefined while the transfer is still under way. */
function outcomeOf(notification: Notification): ReferOutcome | undefined {
  const { request } = notification;
  const code = Number(/^SIP\/2\.0 (\d{3})/.exec(request.body.trim())?.[1] ?? Number.NaN);
  if (code >= 200) return { transferred: code < 300, sipCode: code };
  const over = /^terminated/i.test(request.getHeader("subscription-state")?.trim() ?? "");
  return over ? { transferred: false, sipCode: Number.isNaN(code) ? null : code } : undefined;
}
