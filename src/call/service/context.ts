/** Dependencies of all call use cases, built once by app.ts. */

import type { Billing } from "../../features/billing/billing.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import type { MailQueue } from "../../features/mail/mail-queue.ts";
import type { Admission } from "../admission/admission.ts";
import type { CallSettings } from "../call-settings.ts";
import type { MailedRecordingPorts } from "../ended/mailed-recordings.ts";
import type { InboundPorts } from "../inbound/inbound.ts";
import type { CallRegistry } from "../live/registry.ts";
import type { CallMedia, RecordingLinks } from "../media-port.ts";
import type { DialerPorts } from "../outbound/dialer.ts";
import type { RecoveryPorts } from "../recovery/recovery.ts";
import type { SipStack } from "../sip-port.ts";
import type { ChatPorts } from "../web/chat.ts";
import type { WebCallPorts } from "../web/web-call.ts";
import type { CallServicePorts } from "./call-service.ts";

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
  /** Missing: no caller is known. */
  readonly callers: Pick<Callers, keyof Callers>;
}
