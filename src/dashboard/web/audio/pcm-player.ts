/**
 * Plays PCM16LE as it arrives, interleaved if it has two channels. Buffers a little against network
 * jitter, and buffers again after a pause. The caller must `close` it.
 */
const IN_HAND_SECONDS = 0.06;
const AHEAD_MAX_SECONDS = 8;
const SAMPLE_MAX = 32_768;

export interface PcmPlayer {
  play(bytes: ArrayBuffer): void;
  /** Discards queued audio. */
  clear(): void;
  close(): void;
}

export function createPcmPlayer(sampleRate: number, channels: 1 | 2): PcmPlayer {
  const context = new AudioContext({ sampleRate });
  const waiting = new Set<AudioBufferSourceNode>();
  let next = 0;
  void context.resume();

  function clear(): void {
    for (const source of waiting) source.stop();
    waiting.clear();
    next = 0;
  }

  return {
    play(bytes) {
      const samples = new Int16Array(bytes, 0, Math.floor(bytes.byteLength / 2));
      const frames = Math.floor(samples.length / channels);
      if (frames === 0) return;
      const buffer = context.createBuffer(channels, frames, sampleRate);
      for (let channel = 0; channel < channels; channel++) {
        const data = buffer.getChannelData(channel);
        for (let frame = 0; frame < frames; frame++)
          data[frame] = (samples[frame * channels + channel] ?? 0) / SAMPLE_MAX;
      }
      const now = context.currentTime;
      if (next < now) next = now + IN_HAND_SECONDS;
      if (next > now + AHEAD_MAX_SECONDS) return;
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(context.destination);
      source.onended = () => waiting.delete(source);
      source.start(next);
      waiting.add(source);
      next += buffer.duration;
    },
    clear,
    close() {
      clear();
      void context.close();
    },
  };
}
