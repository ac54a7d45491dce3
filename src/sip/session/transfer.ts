/**
 * Transfer by REFER (RFC 3515) in an established session, with the progress of its NOTIFYs. Blind
 * to a URI, or attended: another of our sessions is replaced (RFC 3891, RFC 5589 7.1). The remote
 * party may accept (202) and report by NOTIFY, reject, or not respond. The result distinguishes
 * these, so that the caller knows whether to dial the person directly.
 */
import { type Notification, type Session, SessionState, type URI } from "sip.js";
import type { ReferOutcome } from "../../call/sip-port.ts";
import type { Clock } from "../../core/clock.ts";

const TRANSFER_TIMEOUT_MS = 40_000;
/** A carrier that has not responded by then does not support REFER. */
const ACCEPT_TIMEOUT_MS = 8_000;

/** The remote party was not contacted. */
export const UNTOUCHED: ReferOutcome = { transferred: false, accepted: false, sipCode: null };

/**
 * Resolves within 40 s and never rejects. The session stays up. A carrier that accepts after the
 * timeout still calls the person: `onLateAccept` gets its later reports.
 */
export function transfer(
  session: Session,
  target: URI | Session,
  clock: Clock,
  onLateAccept: (outcome: Promise<ReferOutcome>) => void = () => {},
): Promise<ReferOutcome> {
  if (session.state !== SessionState.Established) return Promise.resolve(UNTOUCHED);
  return new Promise((resolve) => {
    let accepted = false;
    let isGivenUp = false;
    let report = resolve;
    const finish = (transferred: boolean, sipCode: number | null) => {
      timer.cancel();
      deadline.cancel();
      session.stateChange.removeListener(onState);
      report({ transferred, accepted, sipCode });
    };
    const accept = () => {
      if (isGivenUp && !accepted)
        onLateAccept(
          new Promise((resolveLate) => {
            report = resolveLate;
          }),
        );
      accepted = true;
    };
    const onState = (state: SessionState) => {
      // Carriers that accept a REFER may hang up before they report the result.
      if (state === SessionState.Terminated) finish(accepted, null);
    };
    const timer = clock.after(TRANSFER_TIMEOUT_MS, () => finish(false, null));
    const deadline = clock.after(ACCEPT_TIMEOUT_MS, () => {
      if (accepted) return;
      isGivenUp = true;
      resolve(UNTOUCHED);
    });
    session.stateChange.addListener(onState);
    session
      .refer(target, {
        onNotify: (notification) => {
          if (!isOfRefer(notification)) {
            notification.reject({ statusCode: 489 }).catch(() => {});
            return;
          }
          accept();
          notification.accept().catch(() => {});
          const outcome = outcomeOf(notification);
          if (outcome) finish(outcome.transferred, outcome.sipCode);
        },
        requestDelegate: {
          onAccept: accept,
          onReject: ({ message }) =>
            finish(false, message.callId ? (message.statusCode ?? null) : null),
          onRedirect: ({ message }) => finish(false, message.statusCode ?? null),
        },
      })
      .catch(() => finish(false, null));
  });
}

/** RFC 3515 2.4.4: its NOTIFYs have `Event: refer`. Some peers leave the header out. */
function isOfRefer({ request }: Notification): boolean {
  const event = request.getHeader("event")?.split(";")[0]?.trim().toLowerCase();
  return event === undefined || event === "" || event === "refer";
}

/**
 * Undefined while the result is unknown. Peers that do not report it end the subscription with
 * their first NOTIFY (RFC 3515 2.4.5): `100` with `terminated` is no result, and the transfer may
 * continue.
 */
function outcomeOf(
  notification: Notification,
): Pick<ReferOutcome, "transferred" | "sipCode"> | undefined {
  const { request } = notification;
  const code = Number(/^SIP\/2\.0 (\d{3})/.exec(request.body.trim())?.[1] ?? Number.NaN);
  if (code >= 200) return { transferred: code < 300, sipCode: code };
  if (code >= 100) return undefined;
  const over = /^terminated/i.test(request.getHeader("subscription-state")?.trim() ?? "");
  return over ? { transferred: false, sipCode: null } : undefined;
}
