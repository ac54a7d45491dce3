/**
 * Entry of the speech worker: the thread for synthesis and recognition of the embedded engine. The
 * main thread connects call workers with `init`; everything else is in
 * engine/embedded/speech-service.ts.
 */
import { systemClock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { FromSpeechWorker, ToSpeechWorker } from "../engine/embedded/speech-messages.ts";
import { createSpeechService } from "../engine/embedded/speech-service.ts";

declare const self: Worker;

const startedAt = systemClock.monotonic();
const tell = (message: FromSpeechWorker) => self.postMessage(message);
const service = createSpeechService({
  clock: systemClock,
  onLoad: (event) => tell({ type: "load", event }),
  onHearingLoaded: (isLoaded) => tell({ type: "hearing", isLoaded }),
  onHearingFailed: (detail) => tell({ type: "hearing_failed", detail }),
  onVoiceFailed: (file, detail) => tell({ type: "voice_failed", file, detail }),
  spawnVoices: () => new Worker(new URL("./voices.worker.ts", import.meta.url).href),
  spawnTranscriber: () => new Worker(new URL("./transcriber.worker.ts", import.meta.url).href),
});

service.ready.then(
  () => tell({ type: "ready", startMs: Math.round(systemClock.monotonic() - startedAt) }),
  (error) => tell({ type: "failed", detail: describeError(error) }),
);

self.onmessage = (event: MessageEvent<ToSpeechWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      service.serve(message.port, message.transcribersMax);
      if (message.voices) service.useVoices(message.voices);
      break;
    case "shutdown":
      service.close();
      process.exit(0);
  }
};
