/** A speech worker whose transcriber is broken: it hears and speaks, and reads nothing a second time. */
import type {
  FromSpeechWorker,
  ToSpeechWorker,
} from "../../../src/adapter/engine/embedded/speech-messages.ts";
import { createSpeechService } from "../../../src/adapter/engine/embedded/speech-service.ts";
import { systemClock } from "../../../src/core/clock.ts";

declare const self: Worker;

const tell = (message: FromSpeechWorker) => self.postMessage(message);
const service = createSpeechService({
  clock: systemClock,
  onLoad: (event) => tell({ type: "load", event }),
  onSecondReading: (outcome) => tell({ type: "second_reading", outcome }),
  onSecondReadingFailed: (detail) => tell({ type: "second_reading_failed", detail }),
  spawnTranscriber: () =>
    new Worker(new URL("./broken-transcriber.worker.ts", import.meta.url).href),
});
self.onmessage = ({ data }: MessageEvent<ToSpeechWorker>) => {
  if (data.type === "init") service.serve(data.port);
};
