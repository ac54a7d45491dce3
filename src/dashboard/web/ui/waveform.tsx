/**
 * A stereo waveform with its player: wavesurfer on precomputed peaks, so that nothing is decoded to
 * draw it. The build cuts wavesurfer's own <style> out (our policy forbids it); its rules are put
 * into the shadow root here.
 */
import { useEffect, useImperativeHandle, useRef } from "react";
import WaveSurfer from "wavesurfer.js";
import { tokenColor, useDark } from "../theme/theme.ts";

const LANE_HEIGHT = 60;
const PEAK_MAX = 128;

const RULES = `
:host { user-select: none; min-width: 1px; }
.scroll { overflow-x: auto; overflow-y: hidden; width: 100%; position: relative; scrollbar-width: none; }
.wrapper { position: relative; overflow: visible; z-index: 2; }
.canvases { min-height: ${2 * LANE_HEIGHT}px; pointer-events: none; }
.canvases > div { position: relative; }
canvas { display: block; position: absolute; top: 0; image-rendering: pixelated; }
.progress { pointer-events: none; position: absolute; z-index: 2; top: 0; left: 0; width: 0; height: 100%; overflow: hidden; }
.progress > div { position: relative; }
.cursor { pointer-events: none; position: absolute; z-index: 5; top: 0; left: 0; height: 100%; border-radius: 2px; }
`;

export interface Peaks {
  readonly duration_ms: number;
  readonly left: readonly number[];
  readonly right: readonly number[];
}

export interface WaveformHandle {
  toggle(): void;
  seek(seconds: number): void;
  speed(rate: number): void;
}

export function Waveform(props: {
  ref: React.Ref<WaveformHandle>;
  peaks: Peaks;
  audioUrl: string;
  onTime: (seconds: number) => void;
  onPlaying: (playing: boolean) => void;
  onError: () => void;
}) {
  const { peaks, audioUrl } = props;
  const holder = useRef<HTMLDivElement>(null);
  const player = useRef<WaveSurfer | null>(null);
  const listeners = useRef(props);
  listeners.current = props;
  const dark = useDark();

  useImperativeHandle(
    props.ref,
    () => ({
      toggle: () => void player.current?.playPause().catch(() => listeners.current.onError()),
      seek: (seconds) => player.current?.setTime(seconds),
      speed: (rate) => player.current?.setPlaybackRate(rate, true),
    }),
    [],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme means new colours
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const scaled = (values: readonly number[]) => Float32Array.from(values, (v) => v / PEAK_MAX);
    const lane = (color: string) => ({
      waveColor: tokenColor("line-strong"),
      progressColor: tokenColor(color),
      height: LANE_HEIGHT,
    });
    const surfer = WaveSurfer.create({
      container: element,
      height: LANE_HEIGHT,
      cursorColor: tokenColor("ink"),
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      dragToSeek: true,
      splitChannels: [lane("caller"), lane("agent")],
      url: audioUrl,
      peaks: [scaled(peaks.left), scaled(peaks.right)],
      duration: peaks.duration_ms / 1000,
    });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
    const shadow = surfer.getWrapper().getRootNode();
    if (shadow instanceof ShadowRoot) shadow.adoptedStyleSheets.push(sheet);
    player.current = surfer;
    surfer.on("timeupdate", (seconds) => listeners.current.onTime(seconds));
    surfer.on("play", () => listeners.current.onPlaying(true));
    surfer.on("pause", () => listeners.current.onPlaying(false));
    surfer.on("finish", () => listeners.current.onPlaying(false));
    surfer.on("error", () => listeners.current.onError());
    return () => {
      player.current = null;
      surfer.destroy();
    };
  }, [peaks, audioUrl, dark]);

  return <div ref={holder} className="waveform" />;
}
