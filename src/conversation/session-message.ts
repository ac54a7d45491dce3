/** What a session tells main: the worker's messages about a running call, without its id. */
import type { FromCallWorker } from "../worker/messages.ts";

type AboutRunningCall = Extract<
  FromCallWorker,
  {
    type:
      | "turn"
      | "tool_wish"
      | "digit_received"
      | "pin_entered"
      | "end_wish"
      | "transfer_wish"
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
