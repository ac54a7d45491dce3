/** Texts about the engine that hears, answers and speaks. */
import type { Messages } from "../../../i18n/language.ts";

export const messages = {
  "engine.embedded": { en: "built-in", lt: "vidinė", lv: "iebūvētā", ru: "встроенная" },
  "engine.one": {
    en: "Speech engine: {engine}",
    lt: "Kalbos sistema: {engine}",
    lv: "Runas sistēma: {engine}",
    ru: "Речевая система: {engine}",
  },
  "engine.parts": {
    en: "Hears: {stt} · answers: {llm} · speaks: {tts}",
    lt: "Girdi: {stt} · atsako: {llm} · kalba: {tts}",
    lv: "Dzird: {stt} · atbild: {llm} · runā: {tts}",
    ru: "Слышит: {stt} · отвечает: {llm} · говорит: {tts}",
  },
  "engine.limits": {
    en: "What it can do",
    lt: "Ką ji gali",
    lv: "Ko tā spēj",
    ru: "Что она умеет",
  },
  "engine.hears_questions": {
    en: "It understands English questions about what the knowledge files say, best when they are asked nearly as written there, and simple requests such as “repeat” or “a person, please”. When it does not understand, it says so and offers keys.",
    lt: "Angliškai supranta klausimus apie tai, kas parašyta žinių failuose, geriausiai – užduotus beveik taip, kaip ten, ir paprastus prašymus, pavyzdžiui, pakartoti ar sujungti su žmogumi. Nesupratusi tai pasako ir pasiūlo klavišus.",
    lv: "Angliski saprot jautājumus par to, kas rakstīts zināšanu failos, vislabāk – uzdotus gandrīz tā, kā tur, un vienkāršus lūgumus, piemēram, atkārtot vai savienot ar cilvēku. Ja nesaprot, tā to pasaka un piedāvā taustiņus.",
    ru: "По-английски понимает вопросы о том, что написано в файлах знаний, лучше всего — заданные почти как там, и простые просьбы: повторить, соединить с человеком. Если не понимает, говорит об этом и предлагает клавиши.",
  },
  "engine.hears_phrases": {
    en: "In this language it knows only a closed list of phrases, such as yes, no, a person or a message, and asks back before it acts. Callers choose topics with keys: it reads the menu out.",
    lt: "Šia kalba atpažįsta tik baigtinį frazių sąrašą, pavyzdžiui, taip, ne, žmogus, žinutė, ir prieš veikdama perklausia. Temas skambinantieji renkasi klavišais: meniu ji perskaito.",
    lv: "Šajā valodā pazīst tikai slēgtu frāžu sarakstu, piemēram, jā, nē, cilvēks, ziņa, un pirms rīcības pārjautā. Tematus zvanītāji izvēlas ar taustiņiem: izvēlni tā nolasa.",
    ru: "На этом языке знает только закрытый список фраз, например «да», «нет», «человек», «сообщение», и переспрашивает, прежде чем действовать. Темы звонящие выбирают клавишами: меню она зачитывает.",
  },
  "engine.answers_from_files": {
    en: "It answers in the words of the knowledge files, takes messages and uses tools. It does not converse freely and does not read the instructions: they are for a language model.",
    lt: "Atsako žinių failų žodžiais, priima žinutes ir naudoja įrankius. Laisvai nesišneka ir nurodymų neskaito: jie skirti kalbos modeliui.",
    lv: "Atbild ar zināšanu failu vārdiem, pieņem ziņas un lieto rīkus. Brīvi nesarunājas un norādes nelasa: tās ir valodas modelim.",
    ru: "Отвечает словами файлов знаний, принимает сообщения и пользуется инструментами. Свободно не беседует и указаний не читает: они для языковой модели.",
  },
  "engine.speaks_here": {
    en: "Its voices are made on the server itself: nothing that it says leaves it.",
    lt: "Balsai kuriami pačiame serveryje: ką ji sako, iš jo neišeina.",
    lv: "Balsis tiek veidotas pašā serverī: teiktais to neatstāj.",
    ru: "Голоса создаются на самом сервере: то, что она говорит, его не покидает.",
  },
  "engine.of_provider": {
    en: "{provider}: how well it knows this language depends on the models the operator chose. Talk to the agent to hear it.",
    lt: "{provider}: kaip gerai moka šią kalbą, priklauso nuo administratoriaus pasirinktų modelių. Pasikalbėkite su agentu ir išgirsite.",
    lv: "{provider}: cik labi prot šo valodu, atkarīgs no administratora izvēlētajiem modeļiem. Parunājiet ar aģentu un dzirdēsiet.",
    ru: "{provider}: насколько хорошо знает этот язык, зависит от моделей, которые выбрал администратор. Поговорите с агентом и услышите.",
  },
  "engine.fallback": {
    en: "If {first} fails, {next} takes over.",
    lt: "Sutrikus „{first}“, perima „{next}“.",
    lv: "Ja “{first}” nedarbojas, pārņem “{next}”.",
    ru: "При сбое «{first}» работу берёт на себя «{next}».",
  },
  "engine.takes_messages": {
    en: "If every provider fails, the built-in engine takes a message.",
    lt: "Sutrikus visoms paslaugoms, vidinė kalbos sistema priima žinutę.",
    lv: "Ja nedarbojas neviens pakalpojums, iebūvētā runas sistēma pieņem ziņu.",
    ru: "При сбое всех служб встроенная система принимает сообщение.",
  },
} as const satisfies Messages;
