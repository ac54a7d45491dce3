/**
 * A stereo waveform with its player. Drawn from precomputed peaks, so the audio is neither fetched
 * nor decoded before playback. Caller above, agent below; the played part has full colour.
 */
import { useEffect, useImperativeHandle, useRef } from "react";
import { tokenColor, useDark } from "../theme/theme.ts";

const LANE_HEIGHT = 60;
const BAR = 2;
const GAP = 1;
const PEAK_MAX = 128;
/** Opacity of the part after the playback position. */
const NOT_PLAYED = 0.55;

interface Peaks {
  readonly duration_ms: number;
  /** Lowest and highest value of each slot, alternating. */
  readonly left: readonly number[];
  readonly right: readonly number[];
}

export interface WaveformHandle {
  toggle(): void;
  seek(seconds: number): void;
  speed(rate: number): void;
}

/** The loudest value, 0 to 1, of the slots from `from` to `to`. */
function loudest(peaks: readonly number[], from: number, to: number): number {
  let most = 0;
  for (let at = from * 2; at < Math.max(from + 1, to) * 2; at++)
    most = Math.max(most, Math.abs(peaks[at] ?? 0));
  return most / PEAK_MAX;
}

function draw(canvas: HTMLCanvasElement, peaks: Peaks, played: number): void {
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  canvas.width = width * scale;
  canvas.height = 2 * LANE_HEIGHT * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(scale, scale);
  const bars = Math.floor(width / (BAR + GAP));
  const lanes = [
    [peaks.left, tokenColor("caller"), 0],
    [peaks.right, tokenColor("agent"), LANE_HEIGHT],
  ] as const;
  for (const [values, color, top] of lanes) {
    const slots = values.length / 2;
    pen.fillStyle = color;
    for (let bar = 0; bar < bars; bar++) {
      const from = Math.floor((bar * slots) / bars);
      const height = Math.max(
        1,
        loudest(values, from, Math.floor(((bar + 1) * slots) / bars)) * (LANE_HEIGHT - 4),
      );
      pen.globalAlpha = bar / bars < played ? 1 : NOT_PLAYED;
      pen.fillRect(bar * (BAR + GAP), top + (LANE_HEIGHT - height) / 2, BAR, height);
    }
  }
  pen.globalAlpha = 1;
  if (played === 0) return;
  pen.fillStyle = tokenColor("ink");
  pen.fillRect(Math.min(width - 1, played * width), 0, 1, 2 * LANE_HEIGHT);
}

/** Redraws when the size, the theme or the position changes. */
function useDrawing(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  peaks: Peaks | null,
  played: number,
) {
  const dark = useDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme means new colours
  useEffect(() => {
    const element = canvas.current;
    if (!element || !peaks) return;
    const redraw = () => draw(element, peaks, played);
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas, peaks, played, dark]);
}

interface SoundProps {
  readonly audioUrl: string;
  readonly onTime: (seconds: number) => void;
  readonly onPlaying: (playing: boolean) => void;
  readonly onError: () => void;
}

function Sound(props: SoundProps & { ref: React.Ref<HTMLAudioElement> }) {
  const { onPlaying } = props;
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript beside it is the caption
    <audio
      ref={props.ref}
      src={props.audioUrl}
      preload="metadata"
      onTimeUpdate={(event) => props.onTime(event.currentTarget.currentTime)}
      onPlay={() => onPlaying(true)}
      onPause={() => onPlaying(false)}
      onEnded={() => onPlaying(false)}
      onError={props.onError}
    />
  );
}

/** Without peaks, only the player is shown. */
export function Waveform(
  props: SoundProps & { ref: React.Ref<WaveformHandle>; peaks: Peaks | null; second: number },
) {
  const { peaks, second, onTime } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const audio = useRef<HTMLAudioElement>(null);
  const durationMs = peaks?.duration_ms ?? 0;
  useDrawing(canvas, peaks, Math.min(1, (second * 1000) / Math.max(1, durationMs)));

  function seek(seconds: number): void {
    if (audio.current) audio.current.currentTime = seconds;
    onTime(seconds);
  }

  useImperativeHandle(props.ref, () => ({
    toggle() {
      const player = audio.current;
      if (!player) return;
      if (player.paused) player.play().catch(props.onError);
      else player.pause();
    },
    seek,
    speed(rate) {
      if (audio.current) audio.current.playbackRate = rate;
    },
  }));

  function seekTo(clientX: number): void {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return;
    const share = Math.max(0, Math.min(1, (clientX - box.left) / box.width));
    seek((share * durationMs) / 1000);
  }

  return (
    <>
      {peaks && (
        <canvas
          ref={canvas}
          className="waveform"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            seekTo(event.clientX);
          }}
          onPointerMove={(event) => event.buttons > 0 && seekTo(event.clientX)}
        />
      )}
      <Sound {...props} ref={audio} />
    </>
  );
}
