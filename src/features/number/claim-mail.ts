/** Mails to tenants that claimed a number, about its confirmation. They never name the other tenant. */
import type { MailDraft } from "../mail/ports.ts";
import { companyName, type Reader } from "../mail/reader.ts";

/** Result of the tenant's claim. */
type Outcome = "confirmed" | "ended";

export interface ClaimReader {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly locale: Reader["locale"];
}

interface ClaimWords {
  readonly subject: (number: string, company: string) => string;
  readonly body: (number: string) => readonly string[];
}

const words: Readonly<Record<Reader["locale"], Readonly<Record<Outcome, ClaimWords>>>> = {
  en: {
    confirmed: {
      subject: (number, company) => `${number} is confirmed for ${company}`,
      body: (number) => [
        `Another company had also added ${number}. The number is confirmed as yours, and the other company's entry was switched off.`,
        "You don't need to do anything.",
      ],
    },
    ended: {
      subject: (number, company) => `${number} no longer belongs to ${company}`,
      body: (number) => [
        `Another company proved that ${number} is its number. Your entry was switched off: calls to this number are no longer answered for you.`,
        "If the number is yours, ask the operator of this service to confirm it for you.",
      ],
    },
  },
  lt: {
    confirmed: {
      subject: (number, company) => `Numeris ${number} patvirtintas įmonei ${company}`,
      body: (number) => [
        `Numerį ${number} buvo pridėjusi ir kita įmonė. Patvirtinta, kad jis jūsų, o kitos įmonės įrašas išjungtas.`,
        "Jums nieko daryti nereikia.",
      ],
    },
    ended: {
      subject: (number, company) => `Numeris ${number} nebepriklauso įmonei ${company}`,
      body: (number) => [
        `Kita įmonė įrodė, kad ${number} yra jos numeris. Jūsų įrašas išjungtas: į skambučius šiuo numeriu už jus nebeatsiliepiama.`,
        "Jei numeris jūsų, paprašykite šios paslaugos administratoriaus patvirtinti jį jums.",
      ],
    },
  },
  lv: {
    confirmed: {
      subject: (number, company) => `Numurs ${number} ir apstiprināts uzņēmumam ${company}`,
      body: (number) => [
        `Numuru ${number} bija pievienojis arī cits uzņēmums. Ir apstiprināts, ka tas ir jūsu, un otra uzņēmuma ieraksts ir izslēgts.`,
        "Jums nekas nav jādara.",
      ],
    },
    ended: {
      subject: (number, company) => `Numurs ${number} vairs nepieder uzņēmumam ${company}`,
      body: (number) => [
        `Cits uzņēmums pierādīja, ka ${number} ir tā numurs. Jūsu ieraksts ir izslēgts: uz zvaniem uz šo numuru jūsu vietā vairs neatbild.`,
        "Ja numurs ir jūsu, palūdziet šī pakalpojuma administratoram to apstiprināt jums.",
      ],
    },
  },
  ru: {
    confirmed: {
      subject: (number, company) => `Номер ${number} подтверждён за компанией ${company}`,
      body: (number) => [
        `Номер ${number} добавила и другая компания. Подтверждено, что он ваш, а запись другой компании выключена.`,
        "От вас ничего не требуется.",
      ],
    },
    ended: {
      subject: (number, company) => `Номер ${number} больше не принадлежит компании ${company}`,
      body: (number) => [
        `Другая компания доказала, что ${number} — её номер. Ваша запись выключена: на звонки на этот номер за вас больше не отвечают.`,
        "Если номер ваш, попросите администратора этого сервиса подтвердить его за вами.",
      ],
    },
  },
};

export function claimMail(
  to: ClaimReader,
  outcome: Outcome,
  numberE164: string,
  atMs: number,
): MailDraft {
  const { subject, body } = words[to.locale][outcome];
  return {
    key: `number-${outcome}:${to.id}:${numberE164}:${atMs}`,
    callUuid: null,
    recipient: to.email,
    subject: subject(numberE164, companyName(to.name, to.locale)),
    body: `${body(numberE164).join("\n\n")}\n`,
    attachment: null,
  };
}
