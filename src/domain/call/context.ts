/** Everything a call may reach: the sum of what its use cases need, put together once by app.ts. */

import type { Billing } from "../billing/billing.ts";
import type { Callers } from "../contact/callers.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import type { Admission } from "./admission.ts";
import type { CallServicePorts } from "./call-service.ts";
import type { CallSettings } from "./call-settings.ts";
import type { ChatPorts } from "./chat.ts";
import type { DialerPorts } from "./dialer.ts";
import type { InboundPorts } from "./inbound.ts";
import type { MailedRecordingPorts } from "./mailed-recordings.ts";
import type { CallMedia, RecordingLinks } from "./media-port.ts";
import type { RecoveryPorts } from "./recovery.ts";
import type { CallRegistry } from "./registry.ts";
import type { SipStack } from "./sip-port.ts";
import type { WebCallPorts } from "./web-call.ts";

export interface CallContext
  extends InboundPorts,
    DialerPorts,
    RecoveryPorts,
    CallServicePorts,
    MailedRecordingPorts,
    WebCallPorts,
    ChatPorts {
  readonly settings: CallSettings;
  readonly billing: Billing;
  readonly admission: Admission;
  readonly registry: CallRegistry;
  readonly media: CallMedia;
  readonly sip: SipStack;
  readonly mails: Pick<MailQueue, "enqueue" | "wake" | "onSent">;
  readonly links: RecordingLinks;
  /** Missing: nobody is known. */
  readonly callers: Pick<Callers, keyof Callers>;
}
