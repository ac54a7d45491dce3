/**
 * The demo's script: a dental clinic, its agent's knowledge, the callers and their lines. Every
 * question comes with the answer that must be audible on the phone.
 */

import type { JsonObject } from "../core/json.ts";
import type { AgentVoice } from "../features/agent/agent.ts";

export const AGENT_VOICE: AgentVoice = "Nathan";

export const COMPANY = {
  name: "Bright Smile dental clinic",
  email: "office@brightsmile.example",
  number: "+37052000000",
  trunkUser: "brightsmile",
  timeZone: "Europe/Vilnius",
} as const;

/** The user who looks at the demo's dashboard. */
export const OWNER = { name: "Demo owner", email: "owner@brightsmile.example" } as const;

export const GREETING = "Welcome to Bright Smile. How can I help you?";

export const AGENT = {
  name: "Bright Smile reception",
  prompt:
    "You are the receptionist of the Bright Smile dental clinic. Answer from the knowledge base, briefly and kindly.",
  first_message: GREETING,
  first_speaker: "assistant",
  voice: AGENT_VOICE,
  language: "en",
  max_duration_sec: 120,
  transcript_email: COMPANY.email,
  transcript_email_enabled: true,
} as const;

/**
 * This agent sends no mail, so that the recording of its call is kept and the call's page can show
 * it.
 */
export const REMINDERS = {
  ...AGENT,
  name: "Bright Smile reminders",
  transcript_email: null,
  transcript_email_enabled: false,
} as const;

export const OPENING_HOURS = {
  question: "What are your opening hours?",
  answer: "We are open Monday to Friday from nine to five.",
};
export const PARKING = {
  question: "Do you have free parking?",
  answer: "Yes, there is free parking behind the building.",
};
export const PRICE = {
  question: "How much does a consultation cost?",
  answer: "A consultation costs forty euros.",
};
export const CHILDREN = {
  question: "Do you treat children?",
  answer: "Yes, we treat children from three years of age.",
};

const ENTRIES = [
  OPENING_HOURS,
  PARKING,
  PRICE,
  CHILDREN,
  {
    question: "Do you accept credit cards?",
    answer: "We accept cash, bank cards and bank transfers.",
  },
  { question: "Where are you located?", answer: "Our address is twelve Garden Street." },
  { question: "Do I need a referral?", answer: "No, you do not need a referral." },
];

export const KNOWLEDGE = {
  filename: "clinic.md",
  content: `# Bright Smile dental clinic\n\n${ENTRIES.map(
    ({ question, answer }) => `## ${question}\n${answer}\n`,
  ).join("\n")}`,
};

/**
 * Other sentences that the agent could say: an expected sentence must fit better than all of these.
 */
export const DECOYS: readonly string[] = [
  ...ENTRIES.map(({ answer }) => answer),
  "Please bring your identity card and your insurance card.",
  "Teeth whitening costs two hundred euros.",
];

interface ScriptedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly question: string;
  readonly asksBack: string;
  readonly answer: string;
}

export const APPOINTMENT_NUMBER = "4172";

export const TOOL: ScriptedTool = {
  name: "check_appointment",
  description: "Check my appointment: tells the day and time of an appointment by its number",
  parameters: {
    type: "object",
    properties: {
      appointment_number: {
        type: "string",
        pattern: "^[0-9]{4}$",
        description: "the four digits of the appointment number",
      },
    },
    required: ["appointment_number"],
  },
  question: "I need to check my appointment.",
  asksBack: "Please tell me: the four digits of the appointment number.",
  /** The response of the clinic's system, spoken unchanged. */
  answer: "Your appointment is on Tuesday at ten in the morning.",
};

export interface Person {
  readonly number: string;
  readonly name: string;
  /** The espeak-ng variant that the recogniser understands best. No agent uses it. */
  readonly voice: string;
  readonly goodbye: string;
}

export const CALLER: Person = {
  number: "+37061234567",
  name: "Jonas",
  voice: "m1",
  goodbye: "Bye bye.",
};
export const CALLED_NOW: Person = {
  number: "+37061234568",
  name: "Ruta",
  voice: "m1",
  goodbye: "Bye bye.",
};
export const CALLED_LATER: Person = {
  number: "+37061234569",
  name: "Tomas",
  voice: "m1",
  goodbye: "Bye bye.",
};
/** Recipient of the call whose recording is kept. */
export const CALLED_TO_KEEP: Person = {
  number: "+37061234570",
  name: "Egle",
  voice: "m1",
  goodbye: "Bye bye.",
};
