/**
 * Recognises "don't call me" in the four languages, and the reply to the question that confirms it. A refusal
 * counts only when it is confirmed. Not refusals: "you never called me", "я вам не звонил", calls at another
 * time ("don't call today"), and "не беспокойтесь".
 *
 * Words are delimited by \p{L}, because \b does not treat diacritics and Cyrillic as letters.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";

const word = (pattern: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}'])(?:${pattern})(?![\\p{L}\\p{N}'])`, "u");

const ENGLISH_CALL = "(?:call|phone|ring|dial|contact|(?:bother|disturb)(?= (?:me|us)))";
const ENGLISH_CALLING = "(?:calling|phoning|ringing|dialing|contacting|bothering|harassing)";
/** Excludes "you don't call", "if I never call", "why don't you call". */
const NOBODY = "(?<!(?:i|we|they|you|he|she|who|people|if|why) )";
/** Allowed continuations of "don't call me": no name ("don't call me Bob") and no time of day. */
const ENGLISH_END =
  "(?: (?:me|us|here|this number|this house|my (?:number|phone|home|house)))?(?: (?:again|ever|any ?more|any longer|any further|please|at all|in the future|on this number))*(?=\\s*(?:$|[.,!?;]| (?:and|or|with|about|for|because|i|we|it|you)(?![\\p{L}'])))";

const ENGLISH: readonly RegExp[] = [
  word(`${NOBODY}(?:don't|do not|never|not to)(?: you)?(?: ever)? ${ENGLISH_CALL}${ENGLISH_END}`),
  word(`(?:told|asked|want|prefer|like) (?:you |them )?(?:not to|to not|to never) ${ENGLISH_CALL}`),
  word(
    `(?:don't|do not|never|no longer) (?:want|need)(?: you| anyone| anybody)?(?: people)? (?:to (?:ever )?${ENGLISH_CALL}(?: me| us)|to be (?:called|phoned|contacted|bothered)|(?:to (?:get|receive) )?(?:any |more |any more |your |these |such |further )*(?:phone |sales )?calls)`,
  ),
  word(
    `(?<!can't )(?<!cannot )(?<!(?:they|did you|did they|when did you) )(?:stop|quit) (?:${ENGLISH_CALLING}|(?:these|your|the|all) (?:phone |sales )?calls)`,
  ),
  word(
    "(?:take|get|strike|cross) (?:me|us|my (?:name|number)|our number|this number) (?:off|out|from)(?= (?:of )?(?:your|the|this|that|all|any) (?:\\p{L}+ )?(?:lists?|database|system|records|files)|\\s*(?:$|[.,!?;]))",
  ),
  word(
    "(?:remove|delete|erase) (?:me|us|my (?:name|number|phone number|details|data)|our number|this number)(?= from (?:your|the|this|all|any) (?:\\p{L}+ )?(?:lists?|database|system|records|files)|\\s*(?:$|[.,!?;]| please))",
  ),
  word("no more (?:phone |sales )?calls|no further calls"),
  word("unsubscribe(?: me)?|opt me out|(?:want|like) to opt out"),
  word(
    "(?:put|add) (?:me|us|my number|this number) (?:on|to) (?:your|the|a) do[- ]not[- ]call list",
  ),
  word("lose (?:my|this) number|forget (?:my|this) number|leave (?:me|us) alone"),
  word(`(?:no one|nobody) (?:should|may|must) (?:ever )?${ENGLISH_CALL} (?:me|us|here)`),
];

const LITHUANIAN_LATER =
  "(?!(?: (?:man|mums|čia))* (?:šiandien|dabar|rytoj|vakare|vakarais|ryte|rytais|naktį|iki|prieš|per|po|kol|darbo|sekmadien\\p{L}+|savaitgal\\p{L}+|taip (?:anksti|vėlai)|tuo))";
const LITHUANIAN_LIST =
  "(?= iš (?:\\p{L}+ )*(?:sąraš|baz|duomen|sistem)\\p{L}*|\\s*(?:$|[.,!?;]| prašau))";
const LITHUANIAN: readonly RegExp[] = [
  word(`ne(?:be)?skambin(?:kite|kit|k|ėkite)${LITHUANIAN_LATER}`),
  word(
    "(?:prašau|prašome|prašom|prašyčiau|prašiau|liepiau|sakiau|norėčiau|noriu|geriau|siūlau|daugiau|niekada)(?:,? (?:jūsų|jus|man|mums|čia|daugiau|niekada|kad))*,? ne(?:be)?skambin(?:ti|tų|tumėte|tumėt|tum)",
  ),
  word("(?:man|mums) (?:daugiau |niekada )*ne(?:be)?skambin(?:ti|site|tumėte)"),
  word(
    "kad (?:jūs )?(?:man |mums |čia )?(?:daugiau |niekada )?ne(?:be)?skambin(?:tumėte|tumėt|tų|tum)",
  ),
  word(
    "nenori(?:u|me),? (?:kad|jog) (?:jūs )?(?:man |mums |čia )?(?:daugiau |kas nors )*(?:be)?skambin(?:tumėte|tumėt|tų|ate|a)",
  ),
  word(
    "(?:nenori(?:u|me)|nereikia(?: man| mums)?|atsisak\\p{L}+|gana|užteks|pakaks)(?: gauti)?(?: (?:jūsų|jokių|daugiau|tų|šių|tokių|reklaminių))* (?:skambuč|skambinėjim)\\p{L}+",
  ),
  word("nereikia(?: (?:man|mums|čia|daugiau))+ skambin\\p{L}+"),
  word(
    "(?:liaukitės|liaukis|baikite|baikit|baik|nustokite|nustokit|nustok|gana|užteks|pakaks)(?:,? (?:man|mums|čia|jau|pagaliau|tuos|savo))* (?:skamb|be\\p{L}*skamb)\\p{L}+",
  ),
  word(
    `(?:išbraukite|išbraukit|ištrinkite|ištrinkit|pašalinkite|pašalinkit|išimkite|išimkit|išmeskite) (?:mane|mus|mano (?:numerį|telefoną|duomenis|kontaktą)|mūsų numerį|šį numerį)${LITHUANIAN_LIST}`,
  ),
  word("(?:palikite|palikit) (?:mane|mus) ramybėje|atstokite(?: nuo manęs)?|atsikabinkite"),
  word("(?:pamirškite|užmirškite) (?:mano|šį|mūsų) numerį"),
  word(
    "ne(?:be)?trukdykite (?:manęs |mūsų |man |mums )?(?:daugiau|skambučiais)|daugiau (?:manęs |mūsų |man )?ne(?:be)?trukdykite",
  ),
  word(
    "įtraukite (?:mane|mano numerį|šį numerį) į (?:nes\\p{L}+|juodąjį) (?:\\p{L}+ )?sąraš\\p{L}+",
  ),
];

const LATVIAN_LATER =
  "(?!(?: (?:man|mums|te|šeit))* (?:šodien|tagad|rīt|vakarā|vakaros|no rīta|rītos|naktī|līdz|pirms|pēc|kamēr|darba|svētdien\\p{L}*|brīvdienās|tik (?:agri|vēlu)|uz darbu))";
const LATVIAN_LIST =
  "(?= no (?:\\p{L}+ )*(?:sarakst|datu|bāz|sistēm)\\p{L}*|\\s*(?:$|[.,!?;]| lūdzu))";
const LATVIAN: readonly RegExp[] = [
  word(`nezvan(?:i|iet)${LATVIAN_LATER}`),
  word("(?<!(?:varat|var|drīkst|drīkstat|variet) )nezvan[iī]t"),
  word(
    "(?:lai|ka) (?:jūs )?(?:man |mums |šeit )?(?:vairs |vairāk |nekad )*nezvan(?:a|āt|ītu|īsiet)",
  ),
  word(
    "(?:negrib(?:u|am)|nevēl(?:os|amies)|nevajag),? (?:(?:lai|ka) )(?:jūs |kāds )?(?:man |mums |šeit )?(?:vairs |vairāk )?zvan(?:a|āt|ītu|āt)",
  ),
  word(
    "(?:negrib(?:u|am)|nevēl(?:os|amies)|nevajag|atsakos no|pietiek|pietiks)(?: saņemt)?(?: (?:jūsu|nekādus|nekādu|vairs|šādus|šo|reklāmas|tādus))* zvan(?:us|iem|u)",
  ),
  word("nevajag(?: (?:man|mums|te|šeit|vairs|vairāk))+ zvanīt"),
  word(
    "(?:beidziet|beidz|pārstājiet|izbeidziet|pārtrauciet|pietiek|pietiks)(?:,? (?:man|mums|te|šeit|jau|beidzot|savus|šos))* (?:zvan|piezvan)\\p{L}+",
  ),
  word(
    `(?:izdzēsiet|dzēsiet|svītrojiet|izsvītrojiet|izņemiet|noņemiet|izslēdziet) (?:mani|mūs|manu (?:numuru|tālruni|kontaktu)|manus datus|mūsu numuru|šo numuru)${LATVIAN_LIST}`,
  ),
  word("(?:lieciet|liec) (?:mani|mūs|man|mums) mierā|atstājiet (?:mani|mūs) mierā|atšujieties"),
  word("aizmirstiet (?:manu|šo|mūsu) numuru"),
  word(
    "(?:vairs|vairāk) (?:mani |mūs |man )?netraucējiet|netraucējiet (?:mani |mūs )?(?:vairs|vairāk|ar zvaniem)",
  ),
  word(
    "(?:iekļaujiet|ielieciet) (?:mani|manu numuru|šo numuru) (?:nezvanīšanas|melnajā) sarakst\\p{L}+",
  ),
];

const RUSSIAN_TO =
  "(?:(?:мне|нам|сюда|больше|никогда|вообще|на этот номер|на мой номер|по этому номеру) )*";
const RUSSIAN_LATER =
  "(?! (?:мне )?(?:сегодня|сейчас|завтра|вечером|утром|ночью|до|раньше|после|пока|на работу|в (?:воскресенье|выходные|рабочее|это время)|по (?:выходным|воскресеньям)|так (?:рано|поздно)|в такое))";
const RUSSIAN_LIST =
  "(?= (?:из|с) (?:\\p{L}+ )*(?:спис|баз|рассыл|систем|обзвон)\\p{L}*|\\s*(?:$|[.,!?;]| пожалуйста))";
const RUSSIAN: readonly RegExp[] = [
  word(`(?<!(?:вы|ты) )не ${RUSSIAN_TO}(?:звони|звоните|названивайте)${RUSSIAN_LATER}(?! ли)`),
  word(
    `(?:прошу|просил|просила|просьба|попрошу|пожалуйста,?|больше|никогда|не надо|не нужно|не стоит|не смейте)(?: (?:вас|мне|нам|сюда|больше|никогда))*,? (?:не )?${RUSSIAN_TO}(?<=(?:не|надо|нужно|стоит|смейте|больше|мне|нам|сюда|никогда) )(?<=не (?:\\p{L}+ ){0,4})(?:звонить|названивать)`,
  ),
  word(`чтобы (?:вы |мне |нам |сюда |больше |никто )*не звонил[иа]?`),
  word(
    "не (?:хочу|хотим|желаю|желаем)(?: больше)?,? чтобы (?:вы |мне |нам |сюда |больше |кто-то )*звонили",
  ),
  word(
    "не (?:хочу|хотим|желаю|желаем)(?: (?:больше|получать|слышать|никаких|ваших|ваши|этих|эти))* звонк\\p{L}+",
  ),
  word(
    "(?:перестаньте|перестань|прекратите|прекрати|хватит|довольно|кончайте|завязывайте)(?:,? (?:мне|нам|сюда|уже|наконец|эти|ваши|свои|с))* (?:звон|названив)\\p{L}+",
  ),
  word("не (?:беспокойте|беспокой|тревожьте|тревожь|донимайте)(?: (?:меня|нас|больше))*"),
  word(
    `(?:удалите|уберите|вычеркните|исключите|сотрите) (?:меня|нас|(?:мой|наш|этот) (?:номер|телефон)|мои данные)${RUSSIAN_LIST}`,
  ),
  word("(?:отстаньте|отвяжитесь)(?: от меня| от нас)?|оставьте (?:меня|нас) в покое"),
  word("забудьте (?:мой|этот|наш) (?:номер|телефон)|отпишите меня|отпишите (?:мой|этот) номер"),
  word(
    "(?:отказываюсь|отказываемся) от (?:ваших |всех |любых )?звонков|больше никаких звонков|никаких больше звонков",
  ),
  word(
    "(?:внесите|занесите|добавьте) (?:меня|мой номер|этот номер) в (?:черный список|список (?:не|отказ)\\p{L}*)",
  ),
];

/** All languages are checked: the agent may switch its language, and a person may mix languages. */
const REFUSALS: readonly RegExp[] = [...ENGLISH, ...LITHUANIAN, ...LATVIAN, ...RUSSIAN];

/** Normalises apostrophes, composed letters and case. */
const normalised = (text: string) =>
  text
    .normalize("NFC")
    .toLocaleLowerCase()
    .replace(/[\u2018\u2019\u201b\u02bc\u02b9\u00b4\u2032\uff07`]/g, "'")
    .replace(/\bdont\b/g, "don't")
    .replace(/ё/g, "е")
    .replace(/\s+/g, " ")
    .trim();

export const asksNotToBeCalled = (text: string): boolean => {
  const plain = normalised(text);
  return REFUSALS.some((phrase) => phrase.test(plain));
};

interface Answers {
  readonly yes: RegExp;
  readonly no: RegExp;
}

/** Answers to the question whether calls should stop. Each pattern matches the beginning of the answer. */
const ANSWERS: Readonly<Record<AgentLanguage, Answers>> = {
  en: {
    yes: /^(?:yes|yeah|yep|yup|right|correct|exactly|sure|of course|that's (?:right|correct|it)|that is (?:right|correct)|it is|please do|i am sure|absolutely|okay|ok)(?![\p{L}'])/u,
    no: /^(?:no|nope|not|wait|wrong|that's wrong|that is wrong|you (?:can|may) call|i (?:didn't|did not))(?![\p{L}'])/u,
  },
  lt: {
    yes: /^(?:taip|jo|teisingai|tikrai|žinoma|aišku|būtent|gerai|supratote)(?!\p{L})/u,
    no: /^(?:ne|nevisai|neteisingai|palaukite|galite skambinti|skambinkite)(?!\p{L})/u,
  },
  lv: {
    yes: /^(?:jā|pareizi|tieši tā|protams|labi|sapratāt)(?!\p{L})/u,
    no: /^(?:nē|nepareizi|pagaidiet|varat zvanīt|zvaniet|ne gluži)(?!\p{L})/u,
  },
  ru: {
    yes: /^(?:да|верно|правильно|точно|конечно|именно|все верно|ага|хорошо)(?!\p{L})/u,
    no: /^(?:нет|не совсем|неверно|неправильно|подождите|можете звонить|звоните)(?!\p{L})/u,
  },
};

/** Reply to "I will not call you again. Is that right?"; null: another topic. */
export function refusalAnswer(text: string, language: AgentLanguage): "yes" | "no" | null {
  if (asksNotToBeCalled(text)) return "yes";
  const plain = normalised(text).replace(/^(?:well|oh|na|nu|ну|о)[, ]+/u, "");
  if (ANSWERS[language].yes.test(plain)) return "yes";
  return ANSWERS[language].no.test(plain) ? "no" : null;
}
