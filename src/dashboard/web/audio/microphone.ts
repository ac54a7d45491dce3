/** The microphone as PCM16LE frames of 20 ms at 16 kHz. The caller must `stop` it. */
export const MICROPHONE_RATE = 16_000;

export interface Microphone {
  stop(): void;
}

/** Throws `NotAllowedError` if access is denied, `NotFoundError` if there is no microphone. */
export async function openMicrophone(onFrame: (frame: ArrayBuffer) => void): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const context = contextFor(stream);
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  try {
    await context.audioWorklet.addModule(MICROPHONE_WORKLET_URL);
    const node = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0 });
    node.port.onmessage = (event) => onFrame(event.data as ArrayBuffer);
    context.createMediaStreamSource(stream).connect(node);
    await context.resume();
    return { stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Firefox cannot mix sample rates: there the worklet resamples from the device's rate. */
function contextFor(stream: MediaStream): AudioContext {
  const preferred = new AudioContext({ sampleRate: MICROPHONE_RATE });
  try {
    preferred.createMediaStreamSource(stream);
    return preferred;
  } catch {
    void preferred.close();
    return new AudioContext();
  }
}
