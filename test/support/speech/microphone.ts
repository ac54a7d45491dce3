/** A browser's microphone input during a conversation with an agent. */
import { createResampler } from "../../../src/platform/audio/resampler.ts";
import type { DashboardSocket } from "../browser/dashboard-socket.ts";

/** Sends silence and given speech (8 kHz) in real time, as 20 ms frames. */
export function startMicrophone(talk: DashboardSocket, rate: 8000 | 16000) {
  const samples = rate / 50;
  let speech = new Int16Array(0);
  const timer = setInterval(() => {
    if (talk.closed !== null) return;
    const frame = new Int16Array(samples);
    frame.set(speech.subarray(0, samples));
    speech = speech.slice(samples);
    talk.socket.send(frame.buffer);
  }, 20);
  return {
    say(pcm: Int16Array) {
      speech = new Int16Array(createResampler(8000, rate).process(pcm));
    },
    stop: () => clearInterval(timer),
  };
}
