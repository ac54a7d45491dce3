/** The clinic used for development: the decision's coefficients are fitted with it. */
import {
  CLINIC_KNOWLEDGE,
  CLINIC_OFF_TOPIC,
  CLINIC_PARAPHRASED,
} from "../../../test/support/speech/dental-clinic.ts";
import type { Faq } from "./faq.ts";

const paraphrased: Record<string, string[]> = {};
for (const { said, entry } of CLINIC_PARAPHRASED) {
  paraphrased[entry] = [...(paraphrased[entry] ?? []), said];
}

export const CLINIC: Faq = {
  name: "clinic",
  knowledge: CLINIC_KNOWLEDGE,
  paraphrased,
  offTopic: CLINIC_OFF_TOPIC,
};
