/** Plays a short sentence in a voice. Needs no microphone and starts no call. */
import { useEffect, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { newAgentChoices } from "../../api/rest-values.gen.ts";
import { useText } from "../../i18n/text.tsx";
import { IconButton } from "../../ui/button.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { AgentDraft } from "./agent-draft.ts";

export function VoicePreview({ language, voice: named }: Pick<AgentDraft, "language" | "voice">) {
  const { t } = useText();
  const { showError } = useToasts();
  const [context, setContext] = useState<AudioContext | null>(null);
  useEffect(
    () => () => {
      void context?.close();
    },
    [context],
  );
  const voice = newAgentChoices.voice.find((one) => one === named);
  if (voice === undefined) return null;

  async function play(query: { language: typeof language; voice: NonNullable<typeof voice> }) {
    // Create it inside the click handler: browsers block audio otherwise.
    const playing = new AudioContext();
    setContext(playing);
    const end = () => setContext((now) => (now === playing ? null : now));
    try {
      const asked = own.GET("/voice-sample", { params: { query }, parseAs: "arrayBuffer" });
      const source = playing.createBufferSource();
      source.buffer = await playing.decodeAudioData(await answer(asked));
      source.connect(playing.destination);
      source.onended = end;
      source.start();
    } catch (thrown) {
      if (playing.state !== "closed") showError(thrown);
      end();
    }
  }

  return (
    <IconButton
      icon={context ? "stop" : "play"}
      label={t(context ? "agents.voice_stop" : "agents.voice_play", { voice })}
      variant="secondary"
      small={false}
      onClick={() => (context ? setContext(null) : void play({ language, voice }))}
    />
  );
}
