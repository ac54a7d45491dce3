/** `/agents/{id}/talk`: a conversation with an agent in the browser. See routes/chat.ts. */
import { z } from "zod";
import type { WebCall, WebCallEvent, WebCalls } from "../../../call/web/web-call.ts";
import { AppError, notFound } from "../../../core/errors.ts";
import { recordOf } from "../../../core/wire-names.ts";
import { AgentDraft } from "../../../features/agent/draft.ts";
import { presentTurn } from "../../../features/call-log/present-live.ts";
import type { Identity } from "../../../features/identity/identity.ts";
import { problemOf } from "../../problem.ts";
import { bytesOf } from "./monitor.ts";
import { CLOSE, type Socket, type SocketHandler, type SocketRoute } from "./socket.ts";

const Command = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    sample_rate: z.union([z.literal(8000), z.literal(16000)]),
    draft: AgentDraft.optional(),
  }),
  z.object({ type: z.literal("digit"), digit: z.string().regex(/^[0-9*#A-D]$/) }),
  z.object({ type: z.literal("stop") }),
]);
type Command = z.output<typeof Command>;
type StartCommand = Extract<Command, { type: "start" }>;

/** Half a second at 16 kHz; a browser sends 20 ms per message. */
const AUDIO_BYTES_MAX = 16_000;
/** Only the first message, `start` with a draft, may be longer. */
const COMMAND_CHARACTERS_MAX = 200;

export function webCallSocket({
  webCalls,
  audit,
}: {
  readonly webCalls: WebCalls;
  readonly audit: Identity["audit"];
}): SocketRoute {
  return {
    path: "/agents/{id}/talk",
    role: "member",
    async open({ id = "" }, { tenantId, session, origins }) {
      if (!/^[1-9]\d{0,14}$/.test(id)) throw notFound("agent");
      // Audited, because the conversation may cost the operator money and the checklist reads this entry.
      await audit.write({
        tenantId,
        userId: session?.user.id ?? null,
        userEmail: session?.user.email ?? null,
        action: "talkToAgent",
        target: `/agents/${id}/talk`,
        ip: origins?.ip ?? "",
        outcome: "done",
      });
      return (socket) => new WebCallSocket(socket, webCalls, Number(id));
    },
  };
}

class WebCallSocket implements SocketHandler {
  #webCall: WebCall | null = null;
  #started = false;
  #closed = false;

  constructor(
    private readonly socket: Socket,
    private readonly webCalls: WebCalls,
    private readonly agentId: number,
  ) {}

  message(data: string | Uint8Array): void {
    if (typeof data !== "string") {
      this.#pushAudio(data);
      return;
    }
    const isLong = data.length > COMMAND_CHARACTERS_MAX;
    const command = isLong && this.#started ? null : commandOf(data);
    if (!command || (isLong && command.type !== "start")) {
      this.#reject(
        new AppError({
          code: "invalid_json",
          publicMessage:
            "Send {type:start,sample_rate:8000|16000}, {type:digit,digit}, {type:stop} or binary PCM.",
        }),
      );
      return;
    }
    if (command.type === "start") void this.#start(command);
    else if (command.type === "digit") this.#webCall?.digit(command.digit);
    else if (this.#webCall) this.#webCall.stop();
    else this.socket.close(CLOSE.done, "stopped");
  }

  closed(): void {
    this.#closed = true;
    this.#webCall?.stop();
  }

  async #start({ sample_rate: sampleRateHz, draft }: StartCommand): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    const { socket } = this;
    try {
      const webCall = await this.webCalls.start(
        socket.tenantId,
        this.agentId,
        sampleRateHz,
        {
          audio: (pcm) => socket.binary(bytesOf(pcm)),
          event: (event) => this.#sendEvent(event),
        },
        recordOf(draft ?? {}),
      );
      this.#webCall = webCall;
      if (this.#closed) webCall.stop();
      else socket.json({ type: "ready", call_uuid: webCall.callUuid, sample_rate: sampleRateHz });
    } catch (error) {
      this.#reject(error);
    }
  }

  #pushAudio(bytes: Uint8Array): void {
    if (!this.#webCall || bytes.byteLength < 2 || bytes.byteLength > AUDIO_BYTES_MAX) return;
    const even = bytes.byteLength - (bytes.byteLength % 2);
    const pcm = new Int16Array(even / 2);
    new Uint8Array(pcm.buffer).set(bytes.subarray(0, even));
    this.#webCall.audio(pcm);
  }

  #sendEvent(event: WebCallEvent): void {
    const { socket } = this;
    switch (event.type) {
      case "turn":
        socket.json({ type: "turn", turn: presentTurn(event.turn) });
        break;
      case "tool": {
        const { tool, arguments: values, ok, httpStatus, durationMs } = event;
        socket.json({
          type: "tool",
          tool,
          arguments: values,
          ok,
          http_status: httpStatus,
          duration_ms: durationMs,
        });
        break;
      }
      case "sources": {
        const { type, index, sources } = event;
        const from = sources.map(({ fileId, filename, heading }) => ({
          file_id: fileId,
          filename,
          heading,
        }));
        socket.json({ type, index, sources: from });
        break;
      }
      case "ended":
        socket.json(event);
        socket.close(CLOSE.done, event.reason);
        break;
      default:
        socket.json(event);
    }
  }

  #reject(thrown: unknown): void {
    const { error, message } = problemOf(thrown);
    this.socket.json({ type: "error", error, message });
    this.socket.close(CLOSE.done, error);
  }
}

function commandOf(text: string): Command | null {
  try {
    return Command.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
