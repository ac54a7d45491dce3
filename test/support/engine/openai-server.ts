/**
 * A server with OpenAI's HTTP API (chat completions, transcriptions, speech) according to its
 * public reference, on a real socket. Tests script what it recognises, answers, and how it fails.
 * It rejects requests that violate OpenAI's schemas.
 */
import { createResampler } from "../../../src/platform/audio/resampler.ts";
import { type RawReply, type RawRequest, rawHttpServer } from "../net/raw-http.ts";
import { type OfficialRequest, schemaProblems } from "./openai-schema.ts";

export type ServiceName = "stt" | "llm" | "tts";

/** Fault of a service's next request. */
export type Fault =
  | {
      readonly type: "status";
      readonly status: number;
      readonly body?: string;
      readonly headers?: string;
    }
  /** Accepts the request and never answers. */
  | { readonly type: "hang" }
  /** Closes without a response. */
  | { readonly type: "close" }
  /** Closes after this much of the response: words of a model, milliseconds of speech. */
  | { readonly type: "cut"; readonly after: number }
  /** … or sends nothing more after it. */
  | { readonly type: "stall"; readonly after: number }
  /** Sends exactly these bytes, and closes. */
  | { readonly type: "raw"; readonly bytes: string | Uint8Array }
  /** … and leaves the connection open. */
  | { readonly type: "open"; readonly bytes: string | Uint8Array };

export interface ChatAnswer {
  readonly text?: string;
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly tools?: readonly { readonly name: string; readonly arguments: object }[];
}

export interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: string;
  readonly temperature?: number;
  readonly stream_options?: object;
}

export interface Script {
  /** Texts of the next utterances, in order; then "". */
  recognises: string[];
  /** Takes precedence over `recognises`: returns the text for the given milliseconds of speech. */
  recogniseMs: ((ms: number) => string) | null;
  answer: (body: ChatBody) => ChatAnswer;
  /** 8 kHz. Default: a tone of 60 ms per character. */
  speech: (text: string, voice: string) => Promise<Int16Array> | Int16Array;
  /** Fault of this request; null to use the other fields below. */
  faultOf: (seen: SeenRequest) => Fault | null | Promise<Fault | null>;
  faults: Record<ServiceName, Fault[]>;
  /** Fault of every request, until it is null again. */
  always: Record<ServiceName, Fault | null>;
  delayMs: Record<ServiceName, number>;
  /** Delay between two words or two chunks of speech. */
  paceMs: number;
}

export interface SeenRequest {
  readonly service: ServiceName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of chat and speech requests. */
  readonly json: unknown;
  /** Fields of a transcription; `file` is its WAV. */
  readonly form: FormData | null;
  /** Violations of OpenAI's schemas. */
  readonly problems: readonly string[];
}

export const SPEECH_RATE_HZ = 24_000;

export function openAiServer(hostname = "127.0.0.1") {
  const requests: SeenRequest[] = [];
  const script: Script = {
    recognises: [],
    recogniseMs: null,
    answer: () => ({ text: "All right." }),
    speech: (text) => toneSpeech(text),
    faultOf: () => null,
    faults: { stt: [], llm: [], tts: [] },
    always: { stt: null, llm: null, tts: null },
    delayMs: { stt: 0, llm: 0, tts: 0 },
    paceMs: 0,
  };

  async function handle(request: RawRequest, reply: RawReply): Promise<void> {
    const service = serviceOf(request.path);
    if (!service)
      return reply.send(404, "application/json", '{"error":{"message":"no such path"}}');
    const seen = await seenOf(service, request);
    requests.push(seen);
    if (seen.problems.length > 0) {
      const error = { message: seen.problems.join("; "), type: "invalid_request_error" };
      return reply.send(400, "application/json", JSON.stringify({ error }));
    }
    if (script.delayMs[service] > 0) await Bun.sleep(script.delayMs[service]);
    const own = await script.faultOf(seen);
    const fault = own ?? script.faults[service].shift() ?? script.always[service];
    if (fault && (await failed(fault, reply))) return;
    if (service === "stt") await transcribe(seen, reply);
    else if (service === "llm") await chat(seen.json as ChatBody, reply, fault);
    else
      await speak(
        seen.json as { input: string; voice: string; response_format: string },
        reply,
        fault,
      );
  }

  let last = { pcm: Buffer.alloc(0), text: "" };
  /**
   * A repeated, longer recording with the same beginning is the same utterance, sent early. It gets
   * the same text.
   */
  async function textOf(form: FormData | null): Promise<string> {
    const file = form?.get("file");
    const wav = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(44);
    const pcm = wav.subarray(44);
    if (script.recogniseMs) return script.recogniseMs(pcm.length / 16);
    const { length } = last.pcm;
    const goesOn = length > 0 && pcm.length > length && pcm.subarray(0, length).equals(last.pcm);
    last = { pcm, text: goesOn ? last.text : (script.recognises.shift() ?? "") };
    return last.text;
  }

  async function transcribe({ form }: SeenRequest, reply: RawReply): Promise<void> {
    const text = await textOf(form);
    if (form?.get("stream") !== "true") {
      reply.send(200, "application/json", JSON.stringify({ text }));
      return;
    }
    reply.begin("text/event-stream");
    for (const word of text.split(/(?<= )/)) {
      reply.chunk(event({ type: "transcript.text.delta", delta: word }));
    }
    reply.chunk(event({ type: "transcript.text.done", text }));
    reply.end();
  }

  async function chat(body: ChatBody, reply: RawReply, fault: Fault | null): Promise<void> {
    const { text = "", tools = [], tokens } = script.answer(body);
    const usage = {
      prompt_tokens: tokens?.input ?? 100,
      completion_tokens: tokens?.output ?? text.split(" ").length,
      prompt_tokens_details: { cached_tokens: 60 },
    };
    if (!body.stream) {
      const message = { role: "assistant", content: text };
      return reply.send(200, "application/json", JSON.stringify({ choices: [{ message }], usage }));
    }
    reply.begin("text/event-stream; charset=utf-8");
    const delta = (content: object, finish: string | null = null) =>
      reply.chunk(event({ choices: [{ index: 0, delta: content, finish_reason: finish }] }));
    delta({ role: "assistant", content: "" });
    let words = 0;
    for (const word of text === "" ? [] : text.split(/(?<= )/)) {
      if (fault && "after" in fault && words >= fault.after) return await breakOff(fault, reply);
      delta({ content: word });
      words++;
      if (script.paceMs > 0) await Bun.sleep(script.paceMs);
    }
    tools.forEach(({ name, arguments: args }, index) => {
      const json = JSON.stringify(args);
      delta({
        tool_calls: [
          { index, id: `call_${index}`, type: "function", function: { name, arguments: "" } },
        ],
      });
      for (let at = 0; at < json.length; at += 7) {
        delta({ tool_calls: [{ index, function: { arguments: json.slice(at, at + 7) } }] });
      }
    });
    delta({}, tools.length > 0 ? "tool_calls" : "stop");
    if (body.stream_options) reply.chunk(event({ choices: [], usage }));
    reply.chunk("data: [DONE]\n\n");
    reply.end();
  }

  async function speak(
    { input, voice, response_format }: { input: string; voice: string; response_format: string },
    reply: RawReply,
    fault: Fault | null,
  ): Promise<void> {
    const resampler = createResampler(8_000, SPEECH_RATE_HZ);
    const pcm = resampler.process(await script.speech(input, voice));
    const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    reply.begin(response_format === "wav" ? "audio/wav" : "audio/pcm");
    if (response_format === "wav") reply.chunk(wavHeader(SPEECH_RATE_HZ));
    const part = (SPEECH_RATE_HZ / 10) * 2 + 1;
    let sentMs = 0;
    for (let at = 0; at < bytes.length; at += part) {
      if (fault && "after" in fault && sentMs >= fault.after) return await breakOff(fault, reply);
      reply.chunk(bytes.subarray(at, at + part));
      sentMs += 100;
      if (script.paceMs > 0) await Bun.sleep(script.paceMs);
    }
    reply.end();
  }

  const server = rawHttpServer(hostname, handle);
  return {
    url: `http://${hostname}:${server.port}/v1`,
    script,
    requests,
    /** Number of TCP connections since the start. */
    get connections() {
      return server.connections;
    },
    seen: (service: ServiceName) => requests.filter((request) => request.service === service),
    /** Makes everything fail; null ends that. */
    fail(fault: Fault | null) {
      script.always = { stt: fault, llm: fault, tts: fault };
    },
    close: () => server.close(),
  };
}

export type OpenAiServer = ReturnType<typeof openAiServer>;

export const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;

/** Whether the fault completes the response. */
async function failed(fault: Fault, reply: RawReply): Promise<boolean> {
  switch (fault.type) {
    case "status": {
      const message = fault.body ?? `{"error":{"message":"scripted ${fault.status}"}}`;
      reply.send(fault.status, "application/json", message, fault.headers ?? "");
      return true;
    }
    case "hang":
      while (!reply.gone) await Bun.sleep(20);
      return true;
    case "close":
      reply.cut();
      return true;
    case "raw":
      reply.raw(fault.bytes);
      reply.cut();
      return true;
    case "open":
      reply.raw(fault.bytes);
      while (!reply.gone) await Bun.sleep(20);
      return true;
    default:
      return false;
  }
}

async function breakOff(fault: Fault, reply: RawReply): Promise<void> {
  if (fault.type === "cut") return reply.cut();
  while (!reply.gone) await Bun.sleep(20);
}

function serviceOf(path: string): ServiceName | null {
  if (path === "/v1/chat/completions") return "llm";
  if (path === "/v1/audio/transcriptions") return "stt";
  return path === "/v1/audio/speech" ? "tts" : null;
}

async function seenOf(service: ServiceName, request: RawRequest): Promise<SeenRequest> {
  const { path, headers, body } = request;
  if (service !== "stt") {
    const json: unknown = JSON.parse(body.toString("utf8"));
    const problems = schemaProblems(OFFICIAL[service], json);
    return { service, path, headers, json, form: null, problems };
  }
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  const problems = schemaProblems(OFFICIAL.stt, fieldsOf(form));
  return { service, path, headers, json: null, form, problems };
}

const OFFICIAL: Readonly<Record<ServiceName, OfficialRequest>> = {
  stt: "transcription",
  llm: "chat",
  tts: "speech",
};

/** Converts a form to the JSON of its schema: a field `x[]` is a list, a file its name. */
export function fieldsOf(form: FormData): Record<string, unknown> {
  const fields = [...new Set(form.keys())].map((name) => {
    const values = form.getAll(name).map((value) => (value instanceof File ? value.name : value));
    const [value] = values;
    if (name.endsWith("[]")) return [name.slice(0, -2), values];
    return [name, value === "true" || value === "false" ? value === "true" : value];
  });
  return Object.fromEntries(fields);
}

/** WAV header of unknown length, as streaming servers write it. */
export function wavHeader(sampleRateHz: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(0xffffffff, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(0xffffffff, 40);
  return header;
}

const MS_PER_CHARACTER = 60;

/** 60 ms per character, 8 kHz. */
export function toneSpeech(text: string): Int16Array {
  return Int16Array.from({ length: text.length * MS_PER_CHARACTER * 8 }, (_, index) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * 300 * index) / 8_000)),
  );
}
