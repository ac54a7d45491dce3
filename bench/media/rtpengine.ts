/**
 * rtpengine (Debian's rtpengine-daemon) in user space as a reference. It relays the streams of the
 * plain C loop, one call per stream, set up over its ng protocol (bencode over UDP).
 */
export interface RtpEngine {
  readonly pid: number;
  /** Sets up a call whose audio goes to `to`; returns the receiving port. */
  call(id: string, to: { readonly host: string; readonly port: number }): Promise<number>;
  stop(): Promise<void>;
}

export const RTPENGINE_HOST = "127.0.46.1";
const CONTROL_PORT = 22_222;
const START_TRIES = 50;
const ANSWER_MS = 200;

/** Returns null if rtpengine is not installed or does not start. */
export async function startRtpEngine(): Promise<RtpEngine | null> {
  const program = Bun.which("rtpengine");
  if (!program) return null;
  const child = Bun.spawn(
    [
      ...[program, "--config-file=none", "--table=-1", `--interface=${RTPENGINE_HOST}`],
      ...[`--listen-ng=${RTPENGINE_HOST}:${CONTROL_PORT}`, "--foreground", "--log-stderr"],
      ...["--log-level=2", "--port-min=24000", "--port-max=28000", "--num-threads=2"],
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  const control = await openControl();
  const stop = async () => {
    control.close();
    child.kill("SIGKILL");
    await child.exited;
  };
  for (let attempt = 0; attempt < START_TRIES && child.exitCode === null; attempt++) {
    if ((await control.ask({ command: "ping" }))?.includes("pong")) {
      return { pid: child.pid, call: (id, to) => setUp(control, id, to), stop };
    }
  }
  await stop();
  return null;
}

type Control = Awaited<ReturnType<typeof openControl>>;

async function openControl() {
  const waiting = new Map<string, (answer: string) => void>();
  let count = 0;
  const socket = await Bun.udpSocket({
    hostname: RTPENGINE_HOST,
    port: 0,
    socket: {
      data: (_socket, datagram) => {
        const text = datagram.toString("latin1");
        const space = text.indexOf(" ");
        waiting.get(text.slice(0, space))?.(text.slice(space + 1));
      },
      error: () => {},
    },
  });
  return {
    /** Returns the raw response; null after a timeout. */
    async ask(order: Readonly<Record<string, string>>): Promise<string | null> {
      const cookie = `c${++count}`;
      const answer = Promise.withResolvers<string | null>();
      waiting.set(cookie, answer.resolve);
      const timer = setTimeout(() => answer.resolve(null), ANSWER_MS);
      socket.send(`${cookie} ${bencoded(order)}`, CONTROL_PORT, RTPENGINE_HOST);
      const text = await answer.promise;
      clearTimeout(timer);
      waiting.delete(cookie);
      return text;
    },
    close: () => socket.close(),
  };
}

async function setUp(
  control: Control,
  id: string,
  to: { readonly host: string; readonly port: number },
): Promise<number> {
  const call = { "call-id": id, "from-tag": "a", ICE: "remove" };
  const offer = await control.ask({
    command: "offer",
    ...call,
    sdp: sdpOf(RTPENGINE_HOST, 20_000),
  });
  if (!offer) throw new Error("rtpengine took no offer");
  const answer = await control.ask({
    command: "answer",
    ...call,
    "to-tag": "b",
    sdp: sdpOf(to.host, to.port),
  });
  const port = Number(/m=audio (\d+)/.exec(answer ?? "")?.[1] ?? 0);
  if (port === 0) throw new Error(`rtpengine gave no port: ${answer}`);
  return port;
}

function bencoded(order: Readonly<Record<string, string>>): string {
  const text = (value: string) => `${Buffer.byteLength(value)}:${value}`;
  const pairs = Object.entries(order).sort(([a], [b]) => (a < b ? -1 : 1));
  return `d${pairs.map(([name, value]) => text(name) + text(value)).join("")}e`;
}

const sdpOf = (host: string, port: number) =>
  [
    ...["v=0", `o=- 1 1 IN IP4 ${host}`, "s=-", `c=IN IP4 ${host}`, "t=0 0"],
    ...[`m=audio ${port} RTP/AVP 8`, "a=rtpmap:8 PCMA/8000", ""],
  ].join("\r\n");
