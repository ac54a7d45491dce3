/**
 * Responses of the Realtime test server: one at a time, word by word, each with its audio, or as a
 * fault defines.
 */
import type { ServerWebSocket } from "bun";
import type { Item, RealtimeScript, ResponseFault, SpokenAnswer } from "./realtime-script.ts";
import {
  type Frame,
  formatOf,
  fromPcm,
  type Peer,
  type RunningResponse,
  type Wire,
} from "./realtime-wire.ts";

/** Handles `response.create`. */
export function createResponses(script: RealtimeScript, { send, newId }: Wire) {
  async function respond(ws: ServerWebSocket<Peer>, frame: Frame): Promise<void> {
    const peer = ws.data;
    const request = (frame.response ?? {}) as {
      conversation?: string;
      metadata?: object;
      instructions?: string;
      output_modalities?: string[];
    };
    const beside = request.conversation === "none";
    if (!beside && (peer.active || script.busy > 0)) {
      script.busy = Math.max(0, script.busy - 1);
      const active = peer.active?.id ?? "resp_unknown";
      const error = {
        type: "invalid_request_error",
        code: "conversation_already_has_active_response",
        message: `Conversation already has an active response in progress: ${active}. Wait until the response is finished before creating a new one.`,
        event_id: null,
      };
      send(ws, { type: "error", error });
      return;
    }
    const id = newId("resp");
    const running: RunningResponse = { id, cancelled: false };
    if (!beside) peer.active = running;
    peer.running.set(id, running);
    if (script.createdDelayMs > 0) await Bun.sleep(script.createdDelayMs);
    send(ws, {
      type: "response.created",
      response: { id, status: "in_progress", metadata: request.metadata ?? null },
    });
    send(ws, {
      type: "rate_limits.updated",
      rate_limits: [{ name: "tokens", limit: 1000, remaining: 900, reset_seconds: 1 }],
    });
    if (script.responseDelayMs > 0) await Bun.sleep(script.responseDelayMs);
    const instructions = String(peer.session.instructions ?? "");
    const fault = beside ? undefined : (script.faultOf(instructions) ?? script.faults.shift());
    const said = beside
      ? { text: besideText(request.instructions ?? "") }
      : script.answer(peer.items.at(-1)?.text ?? "", peer.items, instructions);
    if (fault?.type === "garbage") for (const junk of ["{", "[]", '{"no":"type"}']) ws.send(junk);
    if (fault?.type === "huge") ws.send("x".repeat(fault.characters));
    if (fault?.type === "failed") {
      finish(ws, running, {
        status: "failed",
        status_details: {
          type: "failed",
          error: { type: "server_error", code: fault.code, message: fault.code },
        },
      });
      return;
    }
    const texts = [...(said.before ?? []), said.text ?? ""].filter((text) => text !== "");
    for (const text of texts) {
      const stalled = await speak(ws, running, { text }, fault, beside, request.output_modalities);
      if (stalled) return;
    }
    const output = (said.tools ?? []).map(({ name, arguments: args }) =>
      callTool(ws, id, name, args),
    );
    finish(
      ws,
      running,
      running.cancelled
        ? { status: "cancelled", status_details: { type: "cancelled", reason: "client_cancelled" } }
        : { status: "completed", output },
    );
  }

  function besideText(instructions: string): string {
    const quoted = /Text: (".*")$/s.exec(instructions)?.[1];
    return quoted ? script.readOut(JSON.parse(quoted) as string) : "A short summary of the call.";
  }

  /** Returns whether the response is complete. */
  async function speak(
    ws: ServerWebSocket<Peer>,
    running: RunningResponse,
    { text = "" }: SpokenAnswer,
    fault: ResponseFault | undefined,
    beside: boolean,
    modalities: string[] | undefined,
  ): Promise<boolean> {
    if (text === "") return false;
    const itemId = newId("item");
    const common = { response_id: running.id, item_id: itemId, output_index: 0, content_index: 0 };
    const item: Item = { id: itemId, role: "assistant", text: "", audioMs: 0 };
    if (!beside) ws.data.items.push(item);
    send(ws, {
      ...common,
      type: "response.output_item.added",
      item: { id: itemId, type: "message", role: "assistant" },
    });
    const words = text.split(/(?<= )/);
    const audio = modalities?.includes("text") ? null : await script.speech(text);
    if (audio) ws.data.hasSpoken = true;
    const late: Frame[] = [];
    for (const [index, word] of words.entries()) {
      await script.beforeWord(index);
      if (running.cancelled) break;
      if (fault && "after" in fault && index >= fault.after) {
        if (fault.type === "close") ws.terminate();
        if (fault.type === "incomplete") {
          const { reason } = fault;
          const status_details = { type: "incomplete", reason };
          finish(ws, running, { status: "incomplete", status_details });
        }
        return true;
      }
      const name = audio ? "response.output_audio_transcript.delta" : "response.output_text.delta";
      const told = { ...common, type: name, delta: word };
      if (script.wordsLast) late.push(told);
      else if (!script.sparse) send(ws, told);
      item.text += word;
      if (audio) {
        const from = Math.round((audio.length * index) / words.length);
        const to = Math.round((audio.length * (index + 1)) / words.length);
        const delta = fromPcm(formatOf(ws.data), audio.subarray(from, to));
        send(ws, { ...common, type: "response.output_audio.delta", delta });
        item.audioMs += (to - from) / 8;
      }
      if (script.paceMs > 0) await Bun.sleep(script.paceMs);
    }
    for (const frame of late) send(ws, frame);
    const type = "response.output_audio_transcript.done";
    if (!running.cancelled) send(ws, { ...common, type, transcript: item.text });
    return false;
  }

  function callTool(
    ws: ServerWebSocket<Peer>,
    responseId: string,
    name: string,
    args: object | string,
  ): object {
    const item = {
      id: newId("item"),
      type: "function_call",
      call_id: newId("call"),
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    };
    if (script.sparse) return item;
    send(ws, {
      type: "response.output_item.added",
      response_id: responseId,
      item: { ...item, arguments: "" },
    });
    send(ws, {
      type: "response.function_call_arguments.done",
      response_id: responseId,
      item_id: item.id,
      arguments: item.arguments,
    });
    send(ws, { type: "response.output_item.done", response_id: responseId, item });
    return item;
  }

  function finish(ws: ServerWebSocket<Peer>, running: RunningResponse, how: object): void {
    const tokens = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
    const usage = script.reportsUsage ? tokens : null;
    if (ws.data.active === running) ws.data.active = null;
    ws.data.running.delete(running.id);
    send(ws, { type: "response.done", response: { id: running.id, output: [], ...how, usage } });
  }

  return respond;
}
