/** Everything a call may reach, put together once by app.ts. */

import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Billing } from "../billing/ports.ts";
import type { Callers } from "../contact/ports.ts";
import type { TurnRecord } from "../conversation/call-report.ts";
import type { MailQueue } from "../mail/ports.ts";
import type { ToolRunner } from "../tool/ports.ts";
import type { EventSink } from "../webhook/ports.ts";
import type { Admission } from "./admission.ts";
import type { CallIdentity } from "./call-identity.ts";
import type { CallSettings } from "./call-settings.ts";
import type { DiagnosticsRecorder } from "./diagnostics-recorder.ts";
import type { EndOfCall, LiveCall } from "./live-call.ts";
import type { CallMedia, RecordingEncoder, RecordingLinks } from "./media-port.ts";
import type { CallRegistry } from "./registry.ts";
import type { SipStack } from "./sip-port.ts";
import type { CallStores } from "./stores.ts";
import type { UnknownCalls } from "./unknown-calls.ts";

export interface CallContext {
  readonly settings: CallSettings;
  readonly database: Database;
  readonly stores: CallStores;
  /** This process among those that share the store; stays the same over restarts. */
  readonly node: string;
  readonly billing: Billing;
  readonly sip: SipStack;
  readonly media: CallMedia;
  readonly events: EventSink;
  readonly mails: MailQueue;
  readonly tools: ToolRunner;
  readonly encoder: RecordingEncoder;
  /** False while the disk is nearly full: calls go on without a recording. */
  readonly mayRecord: () => boolean;
  readonly links: RecordingLinks;
  readonly admission: Admission;
  readonly registry: CallRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What contacts and earlier calls say of the other side. Missing: nobody is known. */
  readonly callers?: Callers;
  /** Live followers: the command line and the demo. */
  readonly onTurn?: (call: CallIdentity, turn: TurnRecord) => void;
  /** Whenever a call begins, rings, is answered or ends. */
  readonly onChange?: (call: LiveCall) => void;
  /** Missing: nothing is kept beside the call itself. */
  readonly diagnostics?: DiagnosticsRecorder;
  /** Missing: every call to a number that is not set up is stored. */
  readonly unknownCalls?: UnknownCalls;
  /** The other side pressed the key against further calls, which the agent had offered. */
  readonly onOptOut?: (call: CallIdentity) => void;
  /** Once a call is stored as ended. */
  readonly onEnded?: (call: CallIdentity, end: EndOfCall) => void;
}
