/** What a session tells main: the worker's messages about a running call, without its id. */
import type { FromCallWorker } from "../../adapter/worker/messages.ts";

type AboutRunningCall = Extract<
  FromCallWorker,
  {
    type:
      | "turn"
      | "tool_call_requested"
      | "digit_received"
      | "pin_entered"
      | "hangup_requested"
      | "transfer_requested"
      | "transfer_ready"
      | "bridge_opened"
      | "bridge_failed"
      | "bridged"
      | "note"
      | "heartbeat";
  }
>;

type WithoutCallId<Message> = Message extends unknown ? Omit<Message, "callId"> : never;

export type SessionMessage = WithoutCallId<AboutRunningCall>;
