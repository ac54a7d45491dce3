/**
 * Entry of a call worker: the thread for the audio and the conversations of many calls. Exchanges
 * `messages.ts` with the main thread and passes everything to call-host.ts. This file only chooses
 * the real dependencies. A defect in one call never ends the thread: uncaught errors are logged.
 */

import type { Engine } from "../conversation/engine-port.ts";
import { systemClock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { systemRandom } from "../core/random.ts";
import { dispatch } from "../core/thread-messages.ts";
import { createEmbeddedEngine } from "../engine/embedded/engine.ts";
import { boundedQuestion, type TopicReply } from "../engine/embedded/scripted/agent-topics.ts";
import { loadVad } from "../media/audio/vad.ts";
import { createBrowserAudio } from "../media/browser-audio.ts";
import { createCallAudio } from "../media/call-audio.ts";
import { createPacer } from "../media/rtp/pacer.ts";
import { createPortPool } from "../media/rtp/port-pool.ts";
import { type RtpSendThreadHandle, startRtpSendThread } from "../media/rtp/rtp-send-thread.ts";
import { raiseAudio } from "../platform/threads/priority.ts";
import { CallHost } from "./call-host.ts";
import { chooseEngine } from "./engine-choice.ts";
import { MainAsks } from "./main-asks.ts";
import type {
  CallHostCommands,
  CallWorkerSettings,
  FromCallWorker,
  ToCallWorker,
} from "./messages.ts";
import { createWorkerLog } from "./worker-log.ts";

declare const self: Worker;

raiseAudio();

const post = (message: FromCallWorker) => self.postMessage(message);
const log = createWorkerLog((...line) => post({ type: "log", args: line }));
const topics = new MainAsks<TopicReply | null>(null);
let host: CallHost | null = null;

self.onmessage = ({ data: message }: MessageEvent<ToCallWorker>) => {
  switch (message.type) {
    case "init":
      start(...message.args).catch((error) => {
        log.error("call_worker.start_failed", { error: describeError(error) });
        process.exit(1);
      });
      break;
    case "ping":
      post({ type: "pong", args: [] });
      break;
    case "shutdown":
      void host?.shutdown().then(() => process.exit(0));
      break;
    default:
      if (host) dispatch<CallHostCommands>(host, message);
  }
};

function survive(error: unknown): void {
  log.error("call_worker.uncaught", { error: describeError(error) });
}
process.on("unhandledRejection", survive);
process.on("uncaughtException", survive);

async function start(
  settings: CallWorkerSettings,
  speechPort: MessagePort,
  handle: RtpSendThreadHandle | null,
): Promise<void> {
  const { rtpPorts, jitterMsMax, rtpTimeoutMs, holdTimeoutMs, keepsPacketHeaders } = settings;
  const clock = systemClock;
  const ports = createPortPool(rtpPorts, clock);
  const pacer = createPacer(clock, log, (lateMs) => post({ type: "stalled", args: [lateMs] }));
  const sendThread = handle && startRtpSendThread(handle, clock, log);
  const createVad = await loadVad();
  host = new CallHost(
    {
      settings,
      clock,
      log,
      post,
      createVad,
      topics,
      openAudio: async ({ callId, rtpHost, sampleRateHz, browser }, callLog) => {
        if (browser)
          return createBrowserAudio(
            {
              sampleRateHz: browser.sampleRateHz,
              timeoutMs: rtpTimeoutMs,
              send: (pcm) => post({ type: "event", args: [callId, { type: "audio_out", pcm }] }),
              clear: () => post({ type: "event", args: [callId, { type: "audio_clear" }] }),
            },
            { pacer, clock, log: callLog },
          );
        return createCallAudio(
          { rtpHost, jitterMsMax, rtpTimeoutMs, holdTimeoutMs, sampleRateHz, keepsPacketHeaders },
          { ports, pacer, sendThread, clock, log: callLog },
        );
      },
    },
    await createEngine(settings, speechPort),
  );
  post({ type: "ready", args: [] });
}

function createEngine(settings: CallWorkerSettings, port: MessagePort): Promise<Engine> {
  const ports = { clock: systemClock, random: systemRandom, log };
  const embedded = createEmbeddedEngine({
    port,
    ...ports,
    speechRatePercent: settings.engine.speechRatePercent,
    hearsSpeech: settings.engine.hearsSpeech ?? true,
    // The main thread has the call's knowledge.
    askTopics: ({ callId, language }, { texts, ...ask }) =>
      topics.ask((askId) => {
        const asked = { ...ask, texts: texts.map(boundedQuestion) };
        post({ type: "topicsAsked", args: [callId, askId, language, asked] });
      }),
  });
  return chooseEngine(settings.engine, {
    embedded,
    ...ports,
    onTrouble: (trouble) => post({ type: "providerTrouble", args: [trouble] }),
  });
}
