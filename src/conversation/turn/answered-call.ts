/** Connects the screening of an outbound call with its dialogue: greeting for people, message for machines. */
import type { EndedReason } from "../../core/ended-reason.ts";
import { Screening } from "../answering-machine-detection/screening.ts";
import type { CallConfig } from "../call-config.ts";
import type { CallEvent } from "../call-protocol.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import type { AgentSide } from "./agent-side.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { UtteranceSegmenter } from "./utterance-segmenter.ts";

interface AnsweredCallOptions {
  readonly config: CallConfig;
  readonly settings: ConversationSettings;
  readonly sampleRateHz: number;
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly segmenter: UtteranceSegmenter;
  /** True while an utterance is being recognised. */
  readonly recognising: () => boolean;
  readonly closingMessage: (text: string, reason: EndedReason) => void;
  readonly emit: (message: CallEvent) => void;
}

/** Null for inbound calls, which need no screening. */
export function screeningOf(options: AnsweredCallOptions): Screening | null {
  const { config, settings, machine, agent, closingMessage, emit } = options;
  if (config.direction === "inbound") return null;
  return new Screening({
    sampleRateHz: options.sampleRateHz,
    voicemailAction: config.agent.voicemailAction,
    effects: {
      human: (known) => personAnswered(options, known),
      machine: () => {
        agent.stop(settings.bargeInFadeMs);
        agent.forgetInputs();
        machine.apply({ type: "machine" });
      },
      leaveMessage: () => {
        machine.apply({ type: "close", reason: "voicemail_left" });
        agent.leaveMessage();
      },
      hangUp: () => closingMessage("", "voicemail_hangup"),
      note: (note) => emit({ type: "note", note }),
    },
  });
}

/** An agent that speaks first greets. Another one answers the person's words once they are recognised. */
function personAnswered(
  { config, machine, agent, segmenter, recognising }: AnsweredCallOptions,
  known: { readonly byName: boolean },
): void {
  if (machine.state.name !== "screening") return;
  if (config.agent.firstSpeaker === "assistant") {
    segmenter.cancel();
    machine.apply({ type: "person" });
    agent.greet(known);
    return;
  }
  machine.apply({ type: "person" });
  if (!recognising()) machine.apply({ type: "nothing_to_say" });
}
