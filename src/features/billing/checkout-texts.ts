/** Texts of the payment page in each language. */
import type { CheckoutKind, CheckoutStatus } from "./stores.ts";

export interface CheckoutTexts {
  readonly title: string;
  readonly back: string;
  readonly none: string;
  readonly for: string;
  readonly amount: string;
  readonly reference: string;
  readonly copy: string;
  readonly copied: string;
  readonly until: string;
  readonly state: string;
  readonly kinds: Readonly<Record<CheckoutKind, string>>;
  readonly states: Readonly<Record<CheckoutStatus, string>>;
  /** For a payment through a provider instead of a bank transfer. */
  readonly paidElsewhere: string;
  readonly noBankAccount: string;
  readonly giveReference: string;
}

export const CHECKOUT_TEXTS = {
  en: {
    title: "Payment",
    back: "Back to usage and billing",
    none: "Payment not found",
    for: "For",
    amount: "Amount",
    reference: "Reference",
    copy: "Copy",
    copied: "Copied",
    until: "Pay by",
    state: "State",
    kinds: {
      topup: "Wallet top-up",
      plan: "Plan",
      crm_bridge: "CRM bridge, one month",
      retention: "Longer transcript retention",
    },
    states: {
      open: "Waiting for your payment.",
      paid: "Paid. Thank you!",
      expired: "Expired. Please open a new one.",
      cancelled: "Cancelled.",
    },
    paidElsewhere:
      "If you have paid, this page shows it as soon as the payment is confirmed. Reload the page in a minute.",
    noBankAccount:
      "The bank account is not shown here yet. Ask the company that provides this service to you. Include the reference in the transfer.",
    giveReference:
      "Include the reference in the transfer. The payment is confirmed manually when it arrives.",
  },
  lt: {
    title: "Mokėjimas",
    back: "Atgal į naudojimą ir sąskaitas",
    none: "Tokio mokėjimo nėra",
    for: "Už ką",
    amount: "Suma",
    reference: "Mokėjimo paskirtis",
    copy: "Kopijuoti",
    copied: "Nukopijuota",
    until: "Sumokėti iki",
    state: "Būsena",
    kinds: {
      topup: "Piniginės papildymas",
      plan: "Planas",
      crm_bridge: "CRM jungtis vienam mėnesiui",
      retention: "Ilgesnis pokalbių saugojimas",
    },
    states: {
      open: "Laukiame jūsų mokėjimo.",
      paid: "Apmokėta. Ačiū!",
      expired: "Nebegalioja. Pradėkite naują mokėjimą.",
      cancelled: "Atšaukta.",
    },
    paidElsewhere:
      "Jei sumokėjote, čia tai pamatysite, kai tik mokėjimas bus patvirtintas. Po minutės atnaujinkite puslapį.",
    noBankAccount:
      "Banko sąskaita čia dar nerodoma: ją jums pasakys tas, kas teikia šią paslaugą. Pervesdami nurodykite mokėjimo paskirtį.",
    giveReference:
      "Pervesdami nurodykite mokėjimo paskirtį. Gautas mokėjimas patvirtinamas rankiniu būdu.",
  },
  lv: {
    title: "Maksājums",
    back: "Atpakaļ uz lietojumu un rēķiniem",
    none: "Šāda maksājuma nav",
    for: "Par ko",
    amount: "Summa",
    reference: "Maksājuma mērķis",
    copy: "Kopēt",
    copied: "Nokopēts",
    until: "Samaksāt līdz",
    state: "Stāvoklis",
    kinds: {
      topup: "Maka papildināšana",
      plan: "Plāns",
      crm_bridge: "CRM savienojums uz mēnesi",
      retention: "Ilgāka sarunu glabāšana",
    },
    states: {
      open: "Gaidām jūsu maksājumu.",
      paid: "Samaksāts. Paldies!",
      expired: "Vairs nav derīgs. Sāciet jaunu maksājumu.",
      cancelled: "Atcelts.",
    },
    paidElsewhere:
      "Ja esat samaksājis, šeit tas būs redzams, tiklīdz maksājums būs apstiprināts. Pēc minūtes atveriet lapu vēlreiz.",
    noBankAccount:
      "Bankas konts šeit vēl nav redzams: to jums pateiks tas, kas sniedz šo pakalpojumu. Pārskaitot norādiet maksājuma mērķi.",
    giveReference:
      "Pārskaitot norādiet maksājuma mērķi. Saņemtais maksājums tiek apstiprināts ar roku.",
  },
  ru: {
    title: "Платёж",
    back: "Назад к расходам и счетам",
    none: "Такого платежа нет",
    for: "За что",
    amount: "Сумма",
    reference: "Назначение платежа",
    copy: "Копировать",
    copied: "Скопировано",
    until: "Оплатить до",
    state: "Состояние",
    kinds: {
      topup: "Пополнение кошелька",
      plan: "Тариф",
      crm_bridge: "Связь с CRM на месяц",
      retention: "Более долгое хранение разговоров",
    },
    states: {
      open: "Ждём вашего платежа.",
      paid: "Оплачено. Спасибо!",
      expired: "Срок истёк. Начните новый платёж.",
      cancelled: "Отменён.",
    },
    paidElsewhere:
      "Если вы заплатили, здесь это появится, как только платёж будет подтверждён. Обновите страницу через минуту.",
    noBankAccount:
      "Банковский счёт здесь пока не указан: его вам назовёт тот, кто предоставляет эту услугу. При переводе укажите назначение платежа.",
    giveReference:
      "При переводе укажите назначение платежа. Поступивший платёж подтверждается вручную.",
  },
} satisfies Readonly<Record<string, CheckoutTexts>>;
