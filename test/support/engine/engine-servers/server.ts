/** A server with one of the behaviours on a real socket. Tests set the content of its responses. */
import { createResampler } from "../../../../src/platform/audio/resampler.ts";
import { type RawReply, type RawRequest, rawHttpServer } from "../../net/raw-http.ts";
import { type OfficialRequest, schemaProblems } from "../openai-schema.ts";
import {
  type ChatAnswer,
  type ChatBody,
  event,
  fieldsOf,
  toneSpeech,
  wavHeader,
} from "../openai-server.ts";
import type { EngineBehaviour, Refusal, SpeechBody, StreamEvent } from "./behaviour.ts";

export interface EngineServer {
  /** Replaces the `base_url` of the instructions. */
  readonly url: string;
  /** Recognised texts of the next utterances. */
  readonly recognises: string[];
  answer: (body: ChatBody) => ChatAnswer;
  /** Error message after the first words of the next answer; null for none. */
  failsMidway: string | null;
  readonly chats: ChatBody[];
  readonly speeches: SpeechBody[];
  readonly transcriptions: Readonly<Record<string, unknown>>[];
  /** Requests that violate OpenAI's description. */
  readonly problems: string[];
  close(): void;
}

export function engineServer(behaviour: EngineBehaviour, hostname: string): EngineServer {
  const path = new URL(behaviour.address).pathname;
  const answers: Readonly<Record<string, (request: RawRequest, reply: RawReply) => unknown>> = {
    "/chat/completions": chat,
    "/audio/transcriptions": transcribe,
    "/audio/speech": speak,
  };

  async function handle(request: RawRequest, reply: RawReply): Promise<void> {
    const url = new URL(request.path, "http://server");
    const answer = url.pathname.startsWith(path) ? answers[url.pathname.slice(path.length)] : null;
    if (!answer) return reply.send(404, "text/plain", "404 page not found");
    const refusal = behaviour.admits(request.headers, Object.fromEntries(url.searchParams));
    if (refusal) return refuse(reply, refusal);
    await answer(request, reply);
  }

  function check<Body>(official: OfficialRequest, body: Body): Body {
    server.problems.push(...schemaProblems(official, body));
    return body;
  }

  function chat(request: RawRequest, reply: RawReply) {
    const { llm } = behaviour;
    if (!llm) return reply.send(404, "text/plain", "404 page not found");
    const body = check("chat", JSON.parse(request.body.toString("utf8")));
    server.chats.push(body);
    const refusal = llm.refuses(body);
    if (refusal) return refuse(reply, refusal);
    const failure = server.failsMidway;
    server.failsMidway = null;
    const events = llm.stream(server.answer(body), body);
    if (failure === null) return sendEvents(reply, events);
    sendEvents(reply, [...events.slice(0, 3), ...llm.failsMidway(failure)]);
  }

  async function transcribe(request: RawRequest, reply: RawReply): Promise<void> {
    const { stt } = behaviour;
    if (!stt) return reply.send(404, "text/plain", "404 page not found");
    const type = request.headers["content-type"] ?? "";
    const body = new Response(new Uint8Array(request.body), { headers: { "content-type": type } });
    const form = await body.formData();
    const fields = check("transcription", fieldsOf(form));
    server.transcriptions.push(fields);
    const refusal = (await isWav(form.get("file"))) ? stt.refuses(fields) : UNREADABLE;
    if (refusal) return refuse(reply, refusal);
    const answer = stt.answer(server.recognises.shift() ?? "", fields);
    if (isEvents(answer)) return sendEvents(reply, answer);
    reply.send(200, "application/json", JSON.stringify(answer));
  }

  function speak(request: RawRequest, reply: RawReply) {
    const { tts } = behaviour;
    if (!tts) return reply.send(404, "text/plain", "404 page not found");
    const body: SpeechBody = check("speech", JSON.parse(request.body.toString("utf8")));
    server.speeches.push(body);
    const refusal = tts.refuses(body);
    if (refusal) return refuse(reply, refusal);
    const isWavFile =
      tts.container === "wav" || (tts.container === "as asked" && body.response_format === "wav");
    const type = isWavFile ? "audio/wav" : "audio/pcm";
    const pcm = createResampler(8_000, tts.sampleRateHz).process(toneSpeech(body.input));
    const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const header = isWavFile ? wavHeader(tts.sampleRateHz) : new Uint8Array(0);
    if (!tts.isStreamed) return reply.send(200, type, Buffer.concat([header, bytes]));
    reply.begin(type);
    if (tts.breaksOff?.(body)) return reply.cut();
    reply.chunk(header);
    for (let at = 0; at < bytes.length; at += 4_801) reply.chunk(bytes.subarray(at, at + 4_801));
    reply.end();
  }

  const http = rawHttpServer(hostname, handle);
  const server: EngineServer = {
    url: `http://${hostname}:${http.port}${path}`,
    recognises: [],
    answer: () => ({ text: "All right." }),
    failsMidway: null,
    chats: [],
    speeches: [],
    transcriptions: [],
    problems: [],
    close: () => http.close(),
  };
  return server;
}

const UNREADABLE: Refusal = { status: 415, body: { detail: "Failed to decode audio." } };

/** Whether it is 16-bit mono with as many bytes as its header declares. */
async function isWav(file: unknown): Promise<boolean> {
  if (!(file instanceof File)) return false;
  const bytes = Buffer.from(await file.arrayBuffer());
  if (bytes.length < 44 || bytes.toString("latin1", 0, 4) !== "RIFF") return false;
  const isMono16 = bytes.readUInt16LE(22) === 1 && bytes.readUInt16LE(34) === 16;
  return isMono16 && bytes.readUInt32LE(40) === bytes.length - 44;
}

const isEvents = (answer: object | readonly StreamEvent[]): answer is readonly StreamEvent[] =>
  Array.isArray(answer);

function refuse(reply: RawReply, { status, body }: Refusal) {
  if (typeof body === "string") return reply.send(status, "text/plain", body);
  reply.send(status, "application/json", JSON.stringify(body));
}

function sendEvents(reply: RawReply, events: readonly StreamEvent[]): void {
  reply.begin("text/event-stream; charset=utf-8");
  for (const each of events) reply.chunk(typeof each === "string" ? each : event(each));
  reply.end();
}
