/** A speech worker whose recogniser fails to start. */

import { systemClock } from "../../../src/core/clock.ts";
import type {
  FromSpeechWorker,
  ToSpeechWorker,
} from "../../../src/engine/embedded/speech-messages.ts";
import { createSpeechService } from "../../../src/engine/embedded/speech-service.ts";

declare const self: Worker;

const tell = (message: FromSpeechWorker) => self.postMessage(message);
const service = createSpeechService({
  clock: systemClock,
  onLoad() {},
  onHearingFailed: (detail) => tell({ type: "hearing_failed", detail }),
  onVoiceFailed() {},
  spawnVoices() {
    throw new Error("there are no voices");
  },
  spawnTranscriber() {
    throw new Error("no thread is left");
  },
});
self.onmessage = ({ data }: MessageEvent<ToSpeechWorker>) => {
  if (data.type === "init") service.serve(data.port);
};
