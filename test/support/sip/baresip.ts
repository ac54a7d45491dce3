/**
 * Starts baresip, a third-party telephone: registered at a provider, answers automatically, plays a
 * recording as its microphone and records what it receives. Controlled over its TCP port.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { peerPath } from "../peers.ts";

export interface BaresipOptions {
  /** Loopback address that only this telephone uses. */
  readonly host: string;
  /** Null: not registered, direct calls only. */
  readonly provider: { readonly host: string; readonly port: number } | null;
  readonly user: string;
  readonly password: string;
  /** At `rateHz`; plays from the start of each call, in a loop. */
  readonly microphone: Int16Array;
  /** Sample rate of microphone and loudspeaker; default 8000. */
  readonly rateHz?: 8000 | 16_000;
  /** `audio_codecs`; default G.711. */
  readonly codecs?: string;
  /** `mediaenc`: "srtp" is optional, "srtp-mand" required; default off. */
  readonly encryption?: "srtp" | "srtp-mand";
  readonly ptimeMs?: number;
}

export interface BaresipEvent {
  readonly type: string;
  readonly param: string;
}

export interface Baresip {
  readonly events: readonly BaresipEvent[];
  dial(uri: string): void;
  hangUp(): void;
  /** Sends a re-INVITE with a=sendonly. `resume` reverts it. */
  hold(): void;
  resume(): void;
  /** Presses and releases a key, as a telephone-event. */
  press(key: string): void;
  /** Waits for an event of that type after the first `since` events. */
  event(type: string, since?: number): Promise<BaresipEvent>;
  /** Received audio of the last ended call, at the rate of its codec. */
  received(): Int16Array;
  stop(): Promise<void>;
}

const CONTROL_PORT = 4444;
const START_MS = 15_000;
const EVENT_MS = 60_000;

/** Resolves when it is registered and ready for calls. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const directory = mkdtempSync(join(tmpdir(), "baresip-"));
  const dumps = join(directory, "dump");
  mkdirSync(dumps);
  writeFileSync(join(directory, "microphone.wav"), wavOf(options));
  writeFileSync(join(directory, "config"), configOf(options, directory, dumps));
  writeFileSync(join(directory, "accounts"), accountOf(options));
  writeFileSync(join(directory, "contacts"), "");
  const child = Bun.spawn([peerPath("baresip"), "-f", directory], {
    stdin: "ignore",
    stdout: Bun.file(join(directory, "log")),
    stderr: "ignore",
  });
  const events: BaresipEvent[] = [];
  let control: Socket | null = null;
  await eventually(
    async () => {
      control ??= await open(options.host);
      return control !== null;
    },
    "baresip's control port",
    START_MS,
  );
  await eventually(
    () =>
      options.provider === null || readFileSync(join(directory, "log"), "utf8").includes("200 OK"),
    "baresip's registration",
    START_MS,
  );
  const socket = control as Socket | null;
  if (!socket) throw new Error("unreachable");
  readNetstrings(socket, (text) => {
    const message = JSON.parse(text) as { event?: boolean; type?: string; param?: string };
    if (message.event) events.push({ type: message.type ?? "", param: message.param ?? "" });
  });
  const command = (name: string, params = "") => {
    const body = JSON.stringify({ command: name, params, token: name });
    socket.write(`${Buffer.byteLength(body)}:${body},`);
  };
  const event = async (type: string, since = 0) => {
    const find = () => events.slice(since).find((entry) => entry.type === type);
    await eventually(() => find() !== undefined, `baresip: ${type}`, EVENT_MS);
    return find() ?? { type, param: "" };
  };
  return {
    events,
    event,
    dial: (uri) => command("dial", uri),
    hangUp: () => command("hangup"),
    hold: () => command("hold"),
    resume: () => command("resume"),
    press: (key) => command("sndcode", key),
    received() {
      const files = readdirSync(dumps).filter((name) => name.endsWith("-dec.wav"));
      const last = files.sort().at(-1);
      if (last === undefined) throw new Error("baresip wrote down nothing");
      return samplesOf(readFileSync(join(dumps, last)));
    },
    async stop() {
      socket.destroy();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
      await child.exited;
      clearTimeout(timer);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function open(host: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(CONTROL_PORT, host);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => setTimeout(() => resolve(null), 100));
  });
}

/** Parses consecutive `<length>:<text>,`. */
function readNetstrings(socket: Socket, listener: (text: string) => void): void {
  let waiting = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      const colon = waiting.indexOf(":");
      const length = Number(waiting.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || waiting.length < colon + 1 + length + 1) return;
      listener(waiting.subarray(colon + 1, colon + 1 + length).toString());
      waiting = waiting.subarray(colon + 2 + length);
    }
  });
  socket.on("error", () => {});
}

function accountOf(options: BaresipOptions): string {
  const { host, user, password, provider, encryption } = options;
  const { codecs = "pcmu,pcma", ptimeMs = 20 } = options;
  const identity = provider
    ? `<sip:${user}@provider.test>;auth_user=${user};auth_pass=${password}` +
      `;outbound="sip:${provider.host}:${provider.port};transport=udp";regint=120`
    : `<sip:${user}@${host}>;regint=0`;
  const media = `;audio_codecs=${codecs};ptime=${ptimeMs};dtmfmode=rtpevent`;
  return `${identity};answermode=auto${media}${encryption ? `;mediaenc=${encryption}` : ""}\n`;
}

/**
 * No sound card: the microphone is a file, the loudspeaker is discarded; `sndfile` records both.
 */
function configOf(options: BaresipOptions, directory: string, dumps: string): string {
  const { host, rateHz = 8000 } = options;
  return `poll_method epoll
sip_listen ${host}:5060
sip_trans_def udp
audio_path /usr/share/baresip
audio_player aubridge,nil
audio_source aufile,${join(directory, "microphone.wav")}
audio_alert aubridge,nil
ausrc_srate ${rateHz}
auplay_srate ${rateHz}
ausrc_channels 1
auplay_channels 1
ausrc_format s16
auplay_format s16
auenc_format s16
audec_format s16
audio_buffer 20-160
rtp_ports 24000-24900
rtcp_mux no
jitter_buffer_type fixed
jitter_buffer_delay 1-5
call_local_timeout 120
call_max_calls 4
net_interface ${host}
module_path /usr/lib/baresip/modules
module g711.so
module g722.so
module opus.so
module srtp.so
module aufile.so
module aubridge.so
module sndfile.so
module_tmp uuid.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen ${host}:${CONTROL_PORT}
snd_path ${dumps}
`;
}

function wavOf({ microphone: pcm, rateHz = 8000 }: BaresipOptions): Buffer {
  const head = Buffer.alloc(44);
  const bytes = pcm.length * 2;
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rateHz, 24);
  head.writeUInt32LE(rateHz * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.from(pcm.buffer, pcm.byteOffset, bytes)]);
}

/** The first channel of a 16-bit WAV, whose header may be followed by other chunks. */
function samplesOf(wav: Buffer): Int16Array {
  const data = wav.indexOf("data", 12, "latin1");
  const bytes = wav.subarray(data + 8);
  const frameBytes = wav.readUInt16LE(22) * 2;
  const frames = Math.floor(bytes.length / frameBytes);
  return Int16Array.from({ length: frames }, (_, i) => bytes.readInt16LE(i * frameBytes));
}
