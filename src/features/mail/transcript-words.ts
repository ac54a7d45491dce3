/** The texts of the post-call email, in the agent's language. */
import type { AgentLanguage } from "../agent/agent.ts";

export interface TranscriptWords {
  /** Followed by the remote party's number. */
  readonly subject: Readonly<Record<"inbound" | "outbound", string>>;
  readonly agent: string;
  readonly direction: string;
  readonly directions: Readonly<Record<"inbound" | "outbound", string>>;
  readonly from: string;
  readonly to: string;
  readonly withheld: string;
  readonly time: string;
  readonly duration: string;
  readonly callId: string;
  readonly summary: string;
  readonly noSummary: string;
  /** A message that the caller left for the company. */
  readonly message: string;
  readonly callBack: string;
  readonly transcript: string;
  readonly noTranscript: string;
  readonly speakers: Readonly<Record<"agent" | "customer", string>>;
  readonly attached: string;
  /** Too large to attach; contains `{url}`. */
  readonly linked: string;
  /** Too large to attach, and recordings are not stored. */
  readonly notKept: string;
  /** Stored on a server that does not respond. */
  readonly unreachable: string;
  readonly notAttached: string;
}

export const transcriptWords: Readonly<Record<AgentLanguage, TranscriptWords>> = {
  en: {
    subject: { inbound: "Call from", outbound: "Call to" },
    agent: "Agent",
    direction: "Direction",
    directions: { inbound: "inbound", outbound: "outbound" },
    from: "From",
    to: "To",
    withheld: "withheld number",
    time: "Time",
    duration: "Duration",
    callId: "Call ID",
    summary: "Summary",
    noSummary: "No summary of this call.",
    message: "Message",
    callBack: "Call back",
    transcript: "Transcript",
    noTranscript: "Nothing was said.",
    speakers: { agent: "Agent", customer: "Customer" },
    attached:
      "The recording is attached. It is deleted from the server within 15 minutes of this email.",
    linked:
      "The recording is too large to attach. You can listen to it here until it is deleted from the server:\n{url}",
    notKept: "The recording is too large to attach, and this server does not store recordings.",
    unreachable: "The recording could not be attached: the server that stores it does not respond.",
    notAttached: "There is no recording of this call.",
  },
  lt: {
    subject: { inbound: "Įeinantis skambutis:", outbound: "Išeinantis skambutis:" },
    agent: "Agentas",
    direction: "Kryptis",
    directions: { inbound: "įeinantis", outbound: "išeinantis" },
    from: "Skambino",
    to: "Į",
    withheld: "paslėptas numeris",
    time: "Laikas",
    duration: "Trukmė",
    callId: "Skambučio ID",
    summary: "Santrauka",
    noSummary: "Šio skambučio santraukos nėra.",
    message: "Žinutė",
    callBack: "Perskambinti",
    transcript: "Stenograma",
    noTranscript: "Nieko nebuvo pasakyta.",
    speakers: { agent: "Agentas", customer: "Klientas" },
    attached: "Pokalbio įrašas pridėtas. Iš serverio jis ištrinamas per 15 minučių po išsiuntimo.",
    linked:
      "Įrašas per didelis pridėti. Jo galite pasiklausyti čia, kol jis bus ištrintas iš serverio:\n{url}",
    notKept: "Įrašas per didelis pridėti, o serveris įrašų nesaugo.",
    unreachable: "Įrašo pridėti nepavyko: serveris, kuriame jis yra, neatsako.",
    notAttached: "Šio skambučio įrašo nėra.",
  },
  lv: {
    subject: { inbound: "Ienākošs zvans:", outbound: "Izejošs zvans:" },
    agent: "Aģents",
    direction: "Virziens",
    directions: { inbound: "ienākošs", outbound: "izejošs" },
    from: "Zvanīja",
    to: "Uz",
    withheld: "slēpts numurs",
    time: "Laiks",
    duration: "Ilgums",
    callId: "Zvana ID",
    summary: "Kopsavilkums",
    noSummary: "Šim zvanam nav kopsavilkuma.",
    message: "Ziņa",
    callBack: "Atzvanīt",
    transcript: "Atšifrējums",
    noTranscript: "Nekas netika pateikts.",
    speakers: { agent: "Aģents", customer: "Klients" },
    attached:
      "Sarunas ieraksts ir pievienots. No servera tas tiek dzēsts 15 minūšu laikā pēc nosūtīšanas.",
    linked:
      "Ieraksts ir pārāk liels, lai to pievienotu. To var noklausīties šeit, līdz tas tiks dzēsts no servera:\n{url}",
    notKept: "Ieraksts ir pārāk liels, lai to pievienotu, un serveris ierakstus neglabā.",
    unreachable: "Ierakstu neizdevās pievienot: serveris, kurā tas atrodas, neatbild.",
    notAttached: "Šim zvanam nav ieraksta.",
  },
  ru: {
    subject: { inbound: "Входящий звонок:", outbound: "Исходящий звонок:" },
    agent: "Агент",
    direction: "Направление",
    directions: { inbound: "входящий", outbound: "исходящий" },
    from: "Звонил",
    to: "Куда",
    withheld: "скрытый номер",
    time: "Время",
    duration: "Длительность",
    callId: "ID звонка",
    summary: "Краткое содержание",
    noSummary: "Краткого содержания этого звонка нет.",
    message: "Сообщение",
    callBack: "Перезвонить",
    transcript: "Расшифровка",
    noTranscript: "Ничего не было сказано.",
    speakers: { agent: "Агент", customer: "Клиент" },
    attached:
      "Запись разговора приложена. С сервера она удаляется в течение 15 минут после отправки.",
    linked:
      "Запись слишком велика для вложения. Её можно прослушать здесь, пока она не удалена с сервера:\n{url}",
    notKept: "Запись слишком велика для вложения, а сервер записей не хранит.",
    unreachable: "Запись не удалось приложить: сервер, на котором она находится, не отвечает.",
    notAttached: "Записи этого звонка нет.",
  },
};
