/**
 * Translations of server messages, by code: `field.` and the rule that a value breaks; `problem.`
 * and the reason or code of another rejection; `sip.` failed registrations; `check.` trunk test
 * results; `doctor.` checks of the appliance. English readers see the server's text.
 */
import type { ErrorCode } from "../../../core/errors.ts";
import type { FieldReason, ProblemReason } from "../../../core/message-reasons.ts";
import type { ServerMessages } from "./language.ts";

/**
 * Codes that need a translation here. The page frame has texts for the others, except
 * `insufficient_scope`, which only API keys get.
 */
type Code = Exclude<
  ErrorCode,
  `valid_${string}` | "forbidden" | "rate_limited" | "engine" | "insufficient_scope"
>;
type Needed = `field.${FieldReason}` | `problem.${ProblemReason | Code}`;

/** The page is older or newer than the server. */
const outdated = {
  lt: "Puslapis paseno. Įkelkite jį iš naujo.",
  lv: "Lapa ir novecojusi. Ielādējiet to no jauna.",
  ru: "Страница устарела. Загрузите её заново.",
};

export const serverMessages = {
  "problem.invalid_json": outdated,
  "problem.unknown_field": outdated,
  "problem.method_not_allowed": outdated,
  "field.number": {
    lt: "Rašykite numerį su šalies kodu: + ir 7–15 skaitmenų, pvz., +37060000001.",
    lv: "Rakstiet numuru ar valsts kodu: + un 7–15 cipari, piemēram, +37120000001.",
    ru: "Напишите номер с кодом страны: + и от 7 до 15 цифр, например +37060000001.",
  },
  "field.callers_number": {
    lt: "Rašykite numerį E.164 formatu, pvz., +37060000001, arba trumpąjį, kokį rodo skambučiai, pvz., 1001.",
    lv: "Rakstiet numuru E.164 formātā, piemēram, +37120000001, vai īso numuru, kā to rāda zvani, piemēram, 1001.",
    ru: "Напишите номер в формате E.164, например +37060000001, или короткий, как в звонках, например 1001.",
  },
  "field.from_number": {
    lt: "Numatytojo rodomo numerio dar nėra: prijunkite SIP liniją arba pasirinkite savo numerį.",
    lv: "Noklusējuma numura vēl nav: pieslēdziet SIP līniju vai izvēlieties savu numuru.",
    ru: "Номера по умолчанию ещё нет: подключите SIP-линию или выберите свой номер.",
  },
  "field.email": {
    lt: "Įrašykite el. pašto adresą, pvz., rasa@clinic.example.",
    lv: "Ierakstiet e-pasta adresi, piemēram, rasa@clinic.example.",
    ru: "Укажите адрес эл. почты, например rasa@clinic.example.",
  },
  "field.url": {
    lt: "Reikia viešo serverio https:// adreso be naudotojo vardo ir slaptažodžio.",
    lv: "Vajadzīga publiska servera https:// adrese bez lietotājvārda un paroles.",
    ru: "Нужен адрес https:// общедоступного сервера, без имени и пароля.",
  },
  "field.password": {
    lt: "Nuo 12 iki 200 ženklų, ne lengvai atspėjamas: sakinys ar keli nesusiję žodžiai.",
    lv: "No 12 līdz 200 zīmēm, ne viegli uzminama: teikums vai daži nesaistīti vārdi.",
    ru: "От 12 до 200 символов, трудно угадать: предложение или несколько несвязанных слов.",
  },
  "field.current": {
    lt: "Tai ne jūsų slaptažodis.",
    lv: "Tā nav jūsu parole.",
    ru: "Это не ваш пароль.",
  },
  "field.trunk_password": {
    lt: "Registruojantis reikia slaptažodžio. Saugomas tinka tik tam serveriui ir sričiai, kuriems buvo įrašytas.",
    lv: "Reģistrējoties vajadzīga parole. Saglabātā der tikai tam serverim un apgabalam, kuram tā ierakstīta.",
    ru: "Для регистрации нужен пароль. Сохранённый годится только для того сервера и области, для которых введён.",
  },
  "field.trunk_country": {
    lt: "Įrašykite slaptažodį dar kartą: nuo rodomo numerio šalies priklauso, kur galima skambinti.",
    lv: "Ierakstiet paroli vēlreiz: no rādāmā numura valsts ir atkarīgs, kurp drīkst zvanīt.",
    ru: "Введите пароль ещё раз: от страны этого номера зависит, куда можно звонить.",
  },
  "field.document_broken": {
    lt: "Failas sugadintas. Atverkite jį programa, kuria jis sukurtas, įrašykite iš naujo ir pridėkite tą.",
    lv: "Fails ir bojāts. Atveriet to programmā, kurā tas veidots, saglabājiet no jauna un pievienojiet to.",
    ru: "Файл повреждён. Откройте его в исходной программе, сохраните заново и добавьте новый.",
  },
  "field.document_empty": {
    lt: "Dokumente nėra teksto.",
    lv: "Dokumentā nav teksta.",
    ru: "В документе нет текста.",
  },
  "field.document_encrypted": {
    lt: "Dokumentas užšifruotas. Įrašykite jį be slaptažodžio ir pridėkite iš naujo.",
    lv: "Dokuments ir šifrēts. Saglabājiet to bez paroles un pievienojiet vēlreiz.",
    ru: "Документ зашифрован. Сохраните его без пароля и добавьте снова.",
  },
  "field.document_no_text": {
    lt: "PDF faile nėra teksto: puslapiai yra paveikslėliai. Atpažinkite tekstą (OCR) ir pridėkite rezultatą.",
    lv: "PDF failā nav teksta: lapas ir attēli. Atpazīstiet tekstu (OCR) un pievienojiet rezultātu.",
    ru: "В PDF нет текста: страницы — это изображения. Распознайте текст (OCR) и добавьте результат.",
  },
  "field.document_old_word": {
    lt: "Tai senas arba užšifruotas Word failas. Įrašykite jį kaip .docx be slaptažodžio.",
    lv: "Tas ir vecs vai šifrēts Word fails. Saglabājiet to kā .docx bez paroles.",
    ru: "Это старый или зашифрованный файл Word. Сохраните его как .docx без пароля.",
  },
  "field.document_swells": {
    lt: "Dokumentas viduje daug didesnis, nei atrodo. Įrašykite jį be paveikslėlių arba kaip PDF.",
    lv: "Dokuments iekšā ir daudz lielāks, nekā izskatās. Saglabājiet to bez attēliem vai kā PDF.",
    ru: "Документ внутри намного больше, чем кажется. Сохраните его без картинок или как PDF.",
  },
  "field.document_too_long": {
    lt: "Dokumentas per ilgas. Padalykite jį ir pridėkite dalimis.",
    lv: "Dokuments ir pārāk garš. Sadaliet to un pievienojiet pa daļām.",
    ru: "Документ слишком длинный. Разделите его и добавьте по частям.",
  },
  "field.document_too_slow": {
    lt: "Dokumentas skaitomas per ilgai arba užima per daug atminties. Padalykite jį ir pridėkite dalimis.",
    lv: "Dokumenta lasīšana prasa pārāk daudz laika vai atmiņas. Sadaliet to un pievienojiet pa daļām.",
    ru: "Чтение документа заняло слишком много времени или памяти. Разделите его и добавьте по частям.",
  },
  "field.document_unsupported": {
    lt: "Skaitomi tik PDF, Word (.docx) ir HTML, taip pat .txt, .md, .csv ir .json. Įrašykite vienu iš šių formatų.",
    lv: "Var lasīt tikai PDF, Word (.docx) un HTML, kā arī .txt, .md, .csv un .json. Saglabājiet vienā no tiem.",
    ru: "Читаются только PDF, Word (.docx) и HTML, а также .txt, .md, .csv и .json. Сохраните в одном из них.",
  },
  "field.code": {
    lt: "Kodas netinka. Įrašykite kitą, kurį rodys programėlė.",
    lv: "Kods neder. Ierakstiet nākamo, ko rādīs lietotne.",
    ru: "Код не подходит. Введите следующий, который покажет приложение.",
  },
  "field.content": {
    lt: "Turinys neatitinka failo tipo arba didesnis nei 500 KB.",
    lv: "Saturs neatbilst faila tipam vai ir lielāks par 500 KB.",
    ru: "Содержимое не соответствует типу файла или больше 500 КБ.",
  },
  "field.filename": {
    lt: "Pavadinimas iki 255 matomų ženklų, gale .txt, .md, .csv arba .json.",
    lv: "Nosaukums līdz 255 redzamām zīmēm, beigās .txt, .md, .csv vai .json.",
    ru: "Имя до 255 видимых символов, в конце .txt, .md, .csv или .json.",
  },
  "field.stt_wav": {
    lt: "Reikia 16 bitų WAV failo, ne didesnio kaip 720 000 baitų.",
    lv: "Vajadzīgs 16 bitu WAV fails, ne lielāks par 720 000 baitiem.",
    ru: "Нужен 16-битный файл WAV, не больше 720 000 байт.",
  },
  "field.csv": {
    lt: "CSV pirmoje eilutėje turi būti stulpelis „number“, o po ja – tinkamos eilutės.",
    lv: "CSV pirmajā rindā jābūt kolonnai “number” un zem tās – derīgām rindām.",
    ru: "В первой строке CSV нужен столбец number, а под ней — верные строки.",
  },
  "field.time_zone": {
    lt: "Įrašykite IANA laiko juostą, pvz., Europe/Vilnius.",
    lv: "Ierakstiet IANA laika joslu, piemēram, Europe/Riga.",
    ru: "Укажите часовой пояс IANA, например Europe/Vilnius.",
  },
  "field.allowed_prefixes": {
    lt: "Nuo 1 iki 50 kodų, pvz., +370; tuščia – tik rodomo numerio šalis.",
    lv: "No 1 līdz 50 kodiem, piemēram, +371; tukšs – tikai rādāmā numura valsts.",
    ru: "От 1 до 50 кодов, например +370; пусто — только страна своего номера.",
  },
  "field.short_numbers": {
    lt: "Skaitmenys, *, # ir x (bet kuris skaitmuo), pvz., 112, 1xxx.",
    lv: "Cipari, *, # un x (jebkurš cipars), piemēram, 112, 1xxx.",
    ru: "Цифры, *, # и x (любая цифра), например 112, 1xxx.",
  },
  "field.birthday_to_come": {
    lt: "Ši diena dar bus. Rašykite gimimo dieną.",
    lv: "Šī diena vēl būs. Rakstiet dzimšanas dienu.",
    ru: "Этот день ещё не наступил. Напишите день рождения.",
  },
  "field.birthday": {
    lt: "Rašykite 1980-02-29 arba --02-29, jei metų nežinote.",
    lv: "Rakstiet 1980-02-29 vai --02-29, ja gadu nezināt.",
    ru: "Пишите 1980-02-29 или --02-29, если год неизвестен.",
  },
  "field.time": {
    lt: "Rašykite laiką taip: 10:00.",
    lv: "Rakstiet laiku šādi: 10:00.",
    ru: "Пишите время так: 10:00.",
  },
  "field.calling_to": {
    lt: "Pabaiga turi būti vėliau už pradžią.",
    lv: "Beigām jābūt pēc sākuma.",
    ru: "Конец должен быть позже начала.",
  },
  "field.blocks": {
    lt: "Tiek dienų nebetelpa: daugiausia saugoma šešis mėnesius.",
    lv: "Tik daudz dienu vairs neietilpst: glabā ne ilgāk par sešiem mēnešiem.",
    ru: "Столько дней уже не помещается: хранится не дольше шести месяцев.",
  },
  "field.country": {
    lt: "Šalies kodas iš dviejų raidžių, pvz., LT.",
    lv: "Valsts kods no diviem burtiem, piemēram, LV.",
    ru: "Код страны из двух букв, например LT.",
  },
  "field.pin": { lt: "Nuo 4 iki 8 skaitmenų.", lv: "No 4 līdz 8 cipariem.", ru: "От 4 до 8 цифр." },
  "field.schedule_at": {
    lt: "Laikas turi būti ateityje, ne vėliau kaip po metų.",
    lv: "Laikam jābūt nākotnē, ne vēlāk kā pēc gada.",
    ru: "Время должно быть в будущем, не позже чем через год.",
  },
  "field.server": {
    lt: "Serverio vardas arba IP adresas, be prievado.",
    lv: "Servera vārds vai IP adrese, bez porta.",
    ru: "Имя сервера или IP-адрес, без порта.",
  },
  "field.outbound_proxy": {
    lt: "Rašykite serveris arba serveris:prievadas.",
    lv: "Rakstiet serveris vai serveris:ports.",
    ru: "Пишите сервер или сервер:порт.",
  },
  "field.username": {
    lt: "Iki 128 ženklų be tarpų, kabučių, < > ir @; registruojantis būtinas.",
    lv: "Līdz 128 zīmēm bez atstarpēm, pēdiņām, < > un @; reģistrējoties obligāts.",
    ru: "До 128 символов без пробелов, кавычек, < > и @; при регистрации обязательно.",
  },
  "field.secret_header": {
    lt: "Jūsų pačių HTTP antraštės vardas iki 64 ženklų, pvz., X-Tool-Secret.",
    lv: "Jūsu pašu HTTP galvenes nosaukums līdz 64 zīmēm, piemēram, X-Tool-Secret.",
    ru: "Имя своего заголовка HTTP до 64 символов, например X-Tool-Secret.",
  },
  "field.secret": {
    lt: "Nuo 1 iki 512 ASCII ženklų be tarpų. Kitam serveriui įrašykite iš naujo.",
    lv: "No 1 līdz 512 ASCII zīmēm bez atstarpēm. Citam serverim ierakstiet no jauna.",
    ru: "От 1 до 512 символов ASCII без пробелов. Для другого сервера введите заново.",
  },
  "field.parameters": {
    lt: "Reikia objekto JSON Schema, iki 16 KB.",
    lv: "Vajadzīga objekta JSON Schema, līdz 16 KB.",
    ru: "Нужна JSON Schema объекта, до 16 КБ.",
  },
  "field.array_items": {
    lt: 'Lauke „{at}“ yra sąrašas be „items“, todėl kalbos modeliai jį atmeta. Nurodykite, kas jame yra, pvz., "items": {"type":"string"}.',
    lv: 'Laukā “{at}” ir saraksts bez “items”, tāpēc valodas modeļi to noraida. Norādiet, kas tajā ir, piemēram, "items": {"type":"string"}.',
    ru: 'В поле «{at}» список без «items»: языковые модели его отвергают. Укажите, что в нём, например "items": {"type":"string"}.',
  },
  "field.at_top": {
    lt: "„{word}“ negali būti schemos viršuje: kalbos modeliai ją atmeta. Perkelkite į savybę arba kurkite po įrankį kiekvienam atvejui.",
    lv: "“{word}” nedrīkst būt shēmas augšā: valodas modeļi to noraida. Pārvietojiet to uz īpašību vai izveidojiet rīku katram gadījumam.",
    ru: "«{word}» не может стоять на верхнем уровне схемы: языковые модели её отвергают. Перенесите в свойство или создайте по инструменту на каждый случай.",
  },
  "field.crm_secret": {
    lt: "Nuo 8 iki 500 ženklų. Kitam serveriui įrašykite iš naujo.",
    lv: "No 8 līdz 500 zīmēm. Citam serverim ierakstiet no jauna.",
    ru: "От 8 до 500 символов. Для другого сервера введите заново.",
  },
  "field.tool_name": {
    lt: "Mažosios raidės, skaitmenys ir pabraukimai, iki 64; pirmoji – raidė: find_booking.",
    lv: "Mazie burti, cipari un pasvītras, līdz 64; pirmais – burts: find_booking.",
    ru: "Строчные латинские буквы, цифры и подчёркивания, до 64; первой — буква: find_booking.",
  },
  "field.events": {
    lt: "Pasirinkite bent vieną įvykį.",
    lv: "Izvēlieties vismaz vienu notikumu.",
    ru: "Выберите хотя бы одно событие.",
  },
  "field.transfer_to": {
    lt: "Numeris su šalies kodu arba SIP adresas, pvz., sip:desk@example.com.",
    lv: "Numurs ar valsts kodu vai SIP adrese, piemēram, sip:desk@example.com.",
    ru: "Номер с кодом страны или адрес SIP, например sip:desk@example.com.",
  },
  "field.scopes": {
    lt: "Pasirinkite bent vieną.",
    lv: "Izvēlieties vismaz vienu.",
    ru: "Выберите хотя бы одно.",
  },
  "field.expires_at": {
    lt: "Laikas turi būti ateityje, ne toliau kaip po dešimties metų.",
    lv: "Laikam jābūt nākotnē, ne tālāk par desmit gadiem.",
    ru: "Время должно быть в будущем, не далее десяти лет.",
  },
  "field.networks": {
    lt: "Nuo 1 iki 20 adresų arba tinklų, pvz., 192.0.2.7 arba 10.0.0.0/8.",
    lv: "No 1 līdz 20 adresēm vai tīkliem, piem., 192.0.2.7 vai 10.0.0.0/8.",
    ru: "От 1 до 20 адресов или сетей, например 192.0.2.7 или 10.0.0.0/8.",
  },
  "field.choice": {
    lt: "Pasirinkite iš sąrašo.",
    lv: "Izvēlieties no saraksta.",
    ru: "Выберите из списка.",
  },
  "field.amount": {
    lt: "Nuo {from} iki {to} EUR, centų tikslumu.",
    lv: "No {from} līdz {to} EUR, ar centu precizitāti.",
    ru: "От {from} до {to} EUR, с точностью до цента.",
  },
  "field.range": {
    lt: "Sveikasis skaičius nuo {from} iki {to}.",
    lv: "Vesels skaitlis no {from} līdz {to}.",
    ru: "Целое число от {from} до {to}.",
  },
  "field.length": {
    lt: "Nuo {from} iki {to} ženklų.",
    lv: "No {from} līdz {to} zīmēm.",
    ru: "От {from} до {to} символов.",
  },
  "field.one_line": {
    lt: "Vienoje eilutėje, nuo {from} iki {to} ženklų, be valdymo ir nematomų ženklų.",
    lv: "Vienā rindā, no {from} līdz {to} zīmēm, bez vadības un neredzamām zīmēm.",
    ru: "В одну строку, от {from} до {to} символов, без управляющих и невидимых символов.",
  },
  "field.length_max": {
    lt: "Ne daugiau kaip {to} ženklų.",
    lv: "Ne vairāk kā {to} zīmes.",
    ru: "Не больше {to} символов.",
  },
  "problem.not_found": {
    lt: "Tokio įrašo nėra. Galbūt jis ištrintas.",
    lv: "Tāda ieraksta nav. Varbūt tas ir izdzēsts.",
    ru: "Такой записи нет. Возможно, она удалена.",
  },
  "problem.unauthorized": {
    lt: "Neteisingas el. pašto adresas arba slaptažodis.",
    lv: "Nepareiza e-pasta adrese vai parole.",
    ru: "Неверный адрес эл. почты или пароль.",
  },
  "problem.wrong_totp": {
    lt: "Kodas netinka arba jau panaudotas. Įrašykite kitą arba atkūrimo kodą.",
    lv: "Kods neder vai jau izmantots. Ierakstiet nākamo vai atkopšanas kodu.",
    ru: "Код не подходит или уже использован. Введите следующий или код восстановления.",
  },
  "problem.wrong_passkey": {
    lt: "Šis prieigos raktas čia neatveria jokios paskyros.",
    lv: "Šī piekļuves atslēga šeit neatver nevienu kontu.",
    ru: "Этот ключ доступа не открывает здесь ни одной учётной записи.",
  },
  "problem.insufficient_balance": {
    lt: "Plano minutės išnaudotos, o piniginėje per mažai. Papildykite ją.",
    lv: "Plāna minūtes ir izlietotas, un makā ir par maz. Papildiniet to.",
    ru: "Минуты тарифа исчерпаны, а в кошельке слишком мало. Пополните его.",
  },
  "problem.plan_limit_reached": {
    lt: "Pasiekta riba. Ištrinkite, kas nebereikalinga, arba keiskite planą.",
    lv: "Sasniegts ierobežojums. Izdzēsiet nevajadzīgo vai mainiet plānu.",
    ru: "Достигнут предел. Удалите ненужное или смените тариф.",
  },
  "problem.company_full": {
    lt: "Įmonėje jau 200 narių. Paprašykite, kas jus pakvietė, atlaisvinti vietos ir atverkite nuorodą dar kartą.",
    lv: "Uzņēmumā jau ir 200 dalībnieku. Palūdziet, lai tas, kurš jūs uzaicināja, atbrīvo vietu, un atveriet saiti vēlreiz.",
    ru: "В компании уже 200 участников. Попросите того, кто вас пригласил, освободить место, и откройте ссылку снова.",
  },
  "problem.destination_not_allowed": {
    lt: "Šiuo numeriu skambinti neleidžiama: taip nustatė skambinimo taisyklės arba pats žmogus. Šalis leidžia administratorius: Nustatymai, Skambinimo taisyklės.",
    lv: "Uz šo numuru zvanīt nav atļauts: tā nosaka zvanīšanas noteikumi vai pats cilvēks. Valstis atļauj administrators: Iestatījumi, Zvanīšanas noteikumi.",
    ru: "Звонить на этот номер нельзя: это запрещают правила набора или сам абонент. Страны разрешает администратор: «Настройки», «Правила набора».",
  },
  "problem.payload_too_large": {
    lt: "Per daug duomenų vienu kartu.",
    lv: "Pārāk daudz datu vienā reizē.",
    ru: "Слишком много данных за один раз.",
  },
  "problem.trial": {
    lt: "Vyksta kitas bandymas. Pabandykite po kelių sekundžių.",
    lv: "Notiek cits izmēģinājums. Mēģiniet pēc dažām sekundēm.",
    ru: "Идёт другая проверка. Повторите через несколько секунд.",
  },
  "problem.number_taken": {
    lt: "Šis numeris jau užregistruotas.",
    lv: "Šis numurs jau ir reģistrēts.",
    ru: "Этот номер уже зарегистрирован.",
  },
  "problem.tool_taken": {
    lt: "Įrankis tokiu pavadinimu jau yra.",
    lv: "Rīks ar tādu nosaukumu jau ir.",
    ru: "Инструмент с таким именем уже есть.",
  },
  "problem.already_member": {
    lt: "Šis žmogus jau dirba įmonėje.",
    lv: "Šis cilvēks jau strādā uzņēmumā.",
    ru: "Этот человек уже работает в компании.",
  },
  "problem.call_over": {
    lt: "Tai galima tik vykstant pokalbiui.",
    lv: "To var tikai sarunas laikā.",
    ru: "Это возможно только во время разговора.",
  },
  "problem.schedule_over": {
    lt: "Atšaukti galima tik dar laukiantį skambutį.",
    lv: "Atcelt var tikai zvanu, kas vēl gaida.",
    ru: "Отменить можно только ещё ожидающий звонок.",
  },
  "problem.bought": {
    lt: "Tai jau jūsų arba jau įjungta.",
    lv: "Tas jau ir jūsu vai jau ieslēgts.",
    ru: "Это у вас уже есть или уже включено.",
  },
  "problem.campaign_state": {
    lt: "Dabartinė kampanijos būsena to neleidžia.",
    lv: "Kampaņas pašreizējais stāvoklis to neļauj.",
    ru: "Нынешнее состояние кампании этого не позволяет.",
  },
  "problem.site_address": {
    lt: "Veda į adresą, kurio pasiekti negalima: galima tik viešus, per https.",
    lv: "Ved uz adresi, ko nedrīkst sasniegt: drīkst tikai publiskas, ar https.",
    ru: "Ведёт на адрес, к которому нельзя обращаться: можно только к общедоступным, по https.",
  },
  "problem.site_answer": {
    lt: "Serverio atsakymas neperskaitomas.",
    lv: "Servera atbilde nav nolasāma.",
    ru: "Ответ сервера нельзя прочитать.",
  },
  "problem.site_certificate": {
    lt: "Serverio sertifikatu nepasitikima.",
    lv: "Servera sertifikāts nav uzticams.",
    ru: "Сертификат сервера не вызывает доверия.",
  },
  "problem.site_circle": {
    lt: "Nukreipimai sukasi ratu.",
    lv: "Pāradresācijas iet pa apli.",
    ru: "Перенаправления идут по кругу.",
  },
  "problem.site_connection": {
    lt: "Nepavyko prisijungti prie serverio arba ryšys nutrūko.",
    lv: "Neizdevās savienoties ar serveri, vai savienojums pārtrūka.",
    ru: "Не удалось соединиться с сервером, или связь оборвалась.",
  },
  "problem.site_cut": {
    lt: "Perskaityta puslapių: {pages}. Svetainėje jų daugiau, nei leidžiama.",
    lv: "Izlasītas lapas: {pages}. Vietnē to ir vairāk, nekā atļauts.",
    ru: "Прочитано страниц: {pages}. На сайте их больше, чем разрешено.",
  },
  "problem.site_fails": {
    lt: "Serveris atsakė {status}: jis perkrautas arba sugedęs.",
    lv: "Serveris atbildēja {status}: tas ir pārslogots vai bojāts.",
    ru: "Сервер ответил {status}: он перегружен или неисправен.",
  },
  "problem.site_gone": {
    lt: "Tokio puslapio nėra: serveris atsakė {status}.",
    lv: "Tādas lapas nav: serveris atbildēja {status}.",
    ru: "Такой страницы нет: сервер ответил {status}.",
  },
  "problem.site_large": {
    lt: "Puslapis per didelis.",
    lv: "Lapa ir pārāk liela.",
    ru: "Страница слишком большая.",
  },
  "problem.site_login": {
    lt: "Serveris programoms arba be slaptažodžio jo nerodo: atsakė {status}.",
    lv: "Serveris to nerāda programmām vai bez paroles: atbildēja {status}.",
    ru: "Сервер не показывает её программам или без пароля: он ответил {status}.",
  },
  "problem.site_name": {
    lt: "Serverio tokiu vardu nėra. Patikrinkite adresą.",
    lv: "Servera ar tādu vārdu nav. Pārbaudiet adresi.",
    ru: "Сервера с таким именем нет. Проверьте адрес.",
  },
  "problem.site_no_pages": {
    lt: "Nerasta puslapių su tekstu. Neskaitomi puslapiai, kuriuos kuria tik skriptai arba kurie prašo jų neįtraukti.",
    lv: "Nav atrasta neviena lapa ar tekstu. Netiek lasītas lapas, ko veido tikai skripti vai kas lūdz tās neiekļaut.",
    ru: "Страниц с текстом не найдено. Не читаются страницы, которые создают одни скрипты или которые просят их не включать.",
  },
  "problem.site_redirects": {
    lt: "Per daug nukreipimų.",
    lv: "Pārāk daudz pāradresāciju.",
    ru: "Слишком много перенаправлений.",
  },
  "problem.site_robots": {
    lt: "Draudžia svetainės robots.txt. Leiskite jame „Linevoice“ (user agent).",
    lv: "To aizliedz vietnes robots.txt. Atļaujiet tajā “Linevoice” (user agent).",
    ru: "Это запрещает robots.txt сайта. Разрешите в нём «Linevoice» (user agent).",
  },
  "problem.site_status": {
    lt: "Vietoj puslapio serveris atsakė {status}.",
    lv: "Lapas vietā serveris atbildēja {status}.",
    ru: "Вместо страницы сервер ответил {status}.",
  },
  "problem.site_time": {
    lt: "Atsakymas užtruko per ilgai.",
    lv: "Atbilde nāca pārāk ilgi.",
    ru: "Ответ шёл слишком долго.",
  },
  "problem.have_owner": {
    lt: "Įmonė jau turi savininką: kitus kviečia jis.",
    lv: "Uzņēmumam jau ir īpašnieks: pārējos uzaicina viņš.",
    ru: "У компании уже есть владелец: остальных приглашает он.",
  },
  "problem.last_owner": {
    lt: "Tai paskutinis įmonės savininkas. Pirmiau paskirkite kitą.",
    lv: "Tas ir pēdējais uzņēmuma īpašnieks. Vispirms ieceliet citu.",
    ru: "Это последний владелец компании. Сначала назначьте другого.",
  },
  "problem.account_exists": {
    lt: "Paskyra šiuo adresu jau yra. Prisijunkite.",
    lv: "Konts ar šo adresi jau ir. Ieejiet tajā.",
    ru: "Учётная запись с этим адресом уже есть. Войдите в неё.",
  },
  "problem.tags_of_call": {
    lt: "Skambutis gali turėti ne daugiau kaip {max} žymų. Vieną pašalinkite.",
    lv: "Zvanam var būt ne vairāk kā {max} atzīmes. Vienu noņemiet.",
    ru: "У звонка может быть не больше {max} меток. Удалите одну.",
  },
  "problem.tags_of_company": {
    lt: "Įmonė gali turėti ne daugiau kaip {max} skirtingų žymų. Rinkitės iš jų.",
    lv: "Uzņēmumam var būt ne vairāk kā {max} dažādas atzīmes. Izvēlieties kādu no tām.",
    ru: "У компании может быть не больше {max} разных меток. Выберите из них.",
  },
  "problem.comments_of_call": {
    lt: "Skambutis gali turėti ne daugiau kaip {max} komentarų. Vieną ištrinkite.",
    lv: "Zvanam var būt ne vairāk kā {max} komentāri. Vienu izdzēsiet.",
    ru: "У звонка может быть не больше {max} комментариев. Удалите один.",
  },
  "problem.words_gone": {
    lt: "Šio skambučio žodžiai ištrinti, kartu su žymomis ir komentarais. Nieko pridėti nebegalima.",
    lv: "Šī zvana vārdi ir izdzēsti kopā ar atzīmēm un komentāriem. Neko vairs nevar pievienot.",
    ru: "Слова этого звонка удалены вместе с метками и комментариями. Добавить ничего нельзя.",
  },
  "problem.being_sent": {
    lt: "Pranešimas jau siunčiamas; kartojama automatiškai.",
    lv: "Ziņa jau tiek sūtīta; mēģinājumi atkārtojas automātiski.",
    ru: "Сообщение уже отправляется; повтор — автоматически.",
  },
  "problem.calls_at_once": {
    lt: "Vyksta tiek pokalbių, kiek leidžiama. Palaukite, kol kuris nors baigsis.",
    lv: "Notiek tik sarunu, cik atļauts. Pagaidiet, līdz kāda beidzas.",
    ru: "Идёт столько разговоров, сколько разрешено. Подождите, пока один закончится.",
  },
  "problem.daily_spend": {
    lt: "Pasiekta dienos išlaidų riba. Ją padidinti gali administratorius.",
    lv: "Sasniegts dienas izdevumu ierobežojums. To var palielināt administrators.",
    ru: "Достигнут дневной предел расходов. Увеличить его может администратор.",
  },
  "problem.disk_full": {
    lt: "Serverio diskas pilnas. Paprašykite administratoriaus atlaisvinti vietos.",
    lv: "Servera disks ir pilns. Palūdziet administratoram atbrīvot vietu.",
    ru: "Диск сервера заполнен. Попросите администратора освободить место.",
  },
  "problem.acting": {
    lt: "Tai gali tik pačios įmonės žmonės: jūs čia veikiate kaip administratorius.",
    lv: "To drīkst tikai paša uzņēmuma cilvēki: jūs šeit rīkojaties kā administrators.",
    ru: "Это могут только сотрудники самой компании: вы здесь действуете как администратор.",
  },
  "problem.signed_out": {
    lt: "Esate atsijungę. Prisijunkite ir spauskite dar kartą: ką įrašėte, lieka čia.",
    lv: "Jūs esat izgājis no sistēmas. Ieejiet un spiediet vēlreiz: ierakstītais paliek šeit.",
    ru: "Вы вышли из системы. Войдите и нажмите ещё раз: введённое останется здесь.",
  },
  "problem.suspended": {
    lt: "Įmonės veikla sustabdyta. Kreipkitės į administratorių.",
    lv: "Uzņēmuma darbība ir apturēta. Vērsieties pie administratora.",
    ru: "Работа компании приостановлена. Обратитесь к администратору.",
  },
  "problem.trial_minutes": {
    lt: "Šiandienos nemokamos bandymų minutės ({minutes}) išnaudotos, o piniginėje per mažai dar vienai. Papildykite piniginę arba tęskite rytoj.",
    lv: "Šodienas bezmaksas izmēģinājumu minūtes ({minutes}) ir izlietotas, un makā ir par maz vēl vienai. Papildiniet maku vai turpiniet rīt.",
    ru: "Бесплатные минуты для проб на сегодня ({minutes}) исчерпаны, а в кошельке мало даже на одну. Пополните кошелёк или продолжите завтра.",
  },
  "problem.totp_on": {
    lt: "Dviejų veiksnių tapatumo nustatymas jau įjungtas.",
    lv: "Divpakāpju autentifikācija jau ir ieslēgta.",
    ru: "Двухфакторная аутентификация уже включена.",
  },
  "problem.webhook_off": {
    lt: "Adresas išjungtas. Pirmiau jį įjunkite.",
    lv: "Adrese ir izslēgta. Vispirms to ieslēdziet.",
    ru: "Адрес отключён. Сначала включите его.",
  },
  "problem.second_factor": {
    lt: "Įmonėje būtinas dviejų veiksnių tapatumo nustatymas. Įjunkite jį savo profilyje.",
    lv: "Uzņēmumā vajadzīga divpakāpju autentifikācija. Ieslēdziet to savā profilā.",
    ru: "В компании нужна двухфакторная аутентификация. Включите её в своём профиле.",
  },
  "problem.requires_second_factor": {
    lt: "Pirmiau įjunkite savo dviejų veiksnių tapatumo nustatymą, kad neprarastumėte prieigos.",
    lv: "Vispirms ieslēdziet savu divpakāpju autentifikāciju, lai nezaudētu piekļuvi.",
    ru: "Сначала включите собственную двухфакторную аутентификацию, иначе потеряете доступ.",
  },
  "field.rehearsed_calls": {
    lt: "Per vieną kartą repetuojama daugiausia {most} skambučių.",
    lv: "Vienā reizē mēģina ne vairāk kā {most} zvanus.",
    ru: "За один запуск — не больше {most} звонков.",
  },
  "field.scenario_agent": {
    lt: "Pasirinkite agentą: su jūsų scenarijais jo nėra.",
    lv: "Izvēlieties aģentu: jūsu scenārijiem sava nav.",
    ru: "Выберите агента: с вашими сценариями его нет.",
  },
  "field.scenario_broken": {
    lt: "Neperskaitoma: patikrinkite įtraukas, dvitaškius ir kabutes.",
    lv: "Nevar izlasīt: pārbaudiet atkāpes, kolus un pēdiņas.",
    ru: "Не читается: проверьте отступы, двоеточия и кавычки.",
  },
  "field.scenario_characters": {
    lt: "„{place}“: ne daugiau kaip {most} ženklų.",
    lv: "“{place}”: ne vairāk kā {most} zīmes.",
    ru: "«{place}»: не больше {most} символов.",
  },
  "field.scenario_choice": {
    lt: "„{place}“: vienas iš {choices}.",
    lv: "“{place}”: viens no {choices}.",
    ru: "«{place}»: одно из {choices}.",
  },
  "field.scenario_exactly_one": {
    lt: "„{place}“: turi būti lygiai vienas iš {choices}.",
    lv: "“{place}”: jābūt tieši vienam no {choices}.",
    ru: "«{place}»: должно быть ровно одно из {choices}.",
  },
  "field.scenario_example": {
    lt: "„{place}“ rašoma taip: {example}.",
    lv: "“{place}” raksta šādi: {example}.",
    ru: "«{place}» пишут так: {example}.",
  },
  "field.scenario_fields": {
    lt: "„{place}“: turi būti vardai su reikšmėmis.",
    lv: "“{place}”: jābūt nosaukumiem ar vērtībām.",
    ru: "«{place}»: нужны имена со значениями.",
  },
  "field.scenario_least": {
    lt: "„{place}“: ne mažiau kaip {least}.",
    lv: "“{place}”: ne mazāk kā {least}.",
    ru: "«{place}»: не меньше {least}.",
  },
  "field.scenario_list": {
    lt: "„{place}“: turi būti sąrašas.",
    lv: "“{place}”: jābūt sarakstam.",
    ru: "«{place}»: нужен список.",
  },
  "field.scenario_long": {
    lt: "Scenarijus ilgesnis nei {most} KB.",
    lv: "Scenārijs ir garāks par {most} KB.",
    ru: "Сценарий длиннее {most} КБ.",
  },
  "field.scenarios_at_once": {
    lt: "Vienu metu skaitoma ne daugiau kaip {most} scenarijų.",
    lv: "Vienlaikus nolasa ne vairāk kā {most} scenārijus.",
    ru: "За один раз читается не более {most} сценариев.",
  },
  "field.scenario_aliases": {
    lt: "Scenarijuje daugiau nei {most} nuorodų (*vardas). Parašykite reikšmes.",
    lv: "Scenārijā ir vairāk nekā {most} atsauču (*vārds). Ierakstiet vērtības.",
    ru: "В сценарии больше {most} ссылок (*имя). Напишите сами значения.",
  },
  "field.scenario_patterns": {
    lt: "Scenarijuje daugiau nei {most} reguliariųjų išraiškų. Parašykite žodžiais arba padalykite scenarijų.",
    lv: "Scenārijā ir vairāk nekā {most} regulāro izteiksmju. Rakstiet vārdiem vai sadaliet scenāriju.",
    ru: "В сценарии больше {most} регулярных выражений. Напишите словами или разделите сценарий.",
  },
  "field.scenario_slow": {
    lt: "Scenarijus skaitomas per ilgai. Padalykite jį į du.",
    lv: "Scenāriju nolasīt prasa pārāk ilgu laiku. Sadaliet to divos.",
    ru: "Сценарий читается слишком долго. Разделите его на два.",
  },
  "field.scenario_missing": {
    lt: "Trūksta „{place}“.",
    lv: "Trūkst “{place}”.",
    ru: "Не хватает «{place}».",
  },
  "field.scenario_most": {
    lt: "„{place}“: ne daugiau kaip {most}.",
    lv: "“{place}”: ne vairāk kā {most}.",
    ru: "«{place}»: не больше {most}.",
  },
  "field.scenario_near": {
    lt: "„{place}“ čia nežinomas. Gal turėjote omenyje „{near}“?",
    lv: "“{place}” šeit nav zināms. Varbūt domājāt “{near}”?",
    ru: "«{place}» здесь неизвестно. Может быть, «{near}»?",
  },
  "field.scenario_number": {
    lt: "„{place}“: turi būti skaičius.",
    lv: "“{place}”: jābūt skaitlim.",
    ru: "«{place}»: нужно число.",
  },
  "field.scenario_other": {
    lt: "„{place}“ čia netinka.",
    lv: "“{place}” šeit neder.",
    ru: "«{place}» здесь не подходит.",
  },
  "field.scenario_text": {
    lt: "„{place}“: turi būti tekstas; panašų į skaičių rašykite kabutėse.",
    lv: "“{place}”: jābūt tekstam; to, kas līdzinās skaitlim, rakstiet pēdiņās.",
    ru: "«{place}»: нужен текст; похожий на число — в кавычках.",
  },
  "field.scenario_true_or_false": {
    lt: "„{place}“: true arba false.",
    lv: "“{place}”: true vai false.",
    ru: "«{place}»: true или false.",
  },
  "field.scenario_unknown": {
    lt: "„{place}“ čia nežinomas.",
    lv: "“{place}” šeit nav zināms.",
    ru: "«{place}» здесь неизвестно.",
  },
  "field.scenario_whole_number": {
    lt: "„{place}“: turi būti sveikasis skaičius.",
    lv: "“{place}”: jābūt veselam skaitlim.",
    ru: "«{place}»: нужно целое число.",
  },
  "field.scenario_with": {
    lt: "„{place}“ rašoma prie „tool“.",
    lv: "“{place}” raksta pie “tool”.",
    ru: "«{place}» пишут рядом с «tool».",
  },
  "problem.not_rehearsed": {
    lt: "Šis agentas skelbia tik tai, kas repetuota. Repetuokite jo juodraštį tokį, koks jis dabar.",
    lv: "Šis aģents publicē tikai to, kas mēģināts. Mēģiniet tā melnrakstu tādu, kāds tas ir tagad.",
    ru: "Этот агент публикует только отрепетированное. Отрепетируйте его черновик в нынешнем виде.",
  },
  "problem.rehearsal_failed": {
    lt: "Paskutinė šio juodraščio repeticija nepavyko. Pataisykite juodraštį arba repetuokite dar kartą.",
    lv: "Šī melnraksta pēdējais mēģinājums neizdevās. Izlabojiet melnrakstu vai mēģiniet vēlreiz.",
    ru: "Последняя репетиция этого черновика не удалась. Исправьте черновик или отрепетируйте снова.",
  },
  "problem.rehearsal_under_way": {
    lt: "Jau vyksta repeticija. Palaukite, kol ji baigsis.",
    lv: "Mēģinājums jau notiek. Pagaidiet, līdz tas beigsies.",
    ru: "Репетиция уже идёт. Подождите её конца.",
  },
  "problem.scenarios_of_agent": {
    lt: "Agentas gali turėti daugiausia {most} scenarijų. Pirma vieną ištrinkite.",
    lv: "Aģentam var būt ne vairāk kā {most} scenāriji. Vispirms vienu izdzēsiet.",
    ru: "У агента может быть не больше {most} сценариев. Сначала удалите один.",
  },
  "problem.conflict": {
    lt: "Dabartinė būsena to neleidžia. Atnaujinkite puslapį.",
    lv: "Pašreizējais stāvoklis to neļauj. Atsvaidziniet lapu.",
    ru: "Текущее состояние этого не позволяет. Обновите страницу.",
  },
  "problem.unavailable": {
    lt: "Dabar to padaryti negalima. Bandykite po minutės.",
    lv: "Pašlaik to nevar izdarīt. Mēģiniet pēc minūtes.",
    ru: "Сейчас это невозможно. Повторите через минуту.",
  },
  "sip.ended_at_once": {
    lt: "Teikėjas registraciją priėmė ir iškart nutraukė. Patikrinkite, ar paskyros nenaudoja kitas įrenginys.",
    lv: "Pakalpojuma sniedzējs reģistrāciju pieņēma un uzreiz pārtrauca. Pārbaudiet, vai kontu neizmanto cita ierīce.",
    ru: "Провайдер принял регистрацию и сразу её прекратил. Проверьте, не занята ли учётная запись другим устройством.",
  },
  "sip.challenge": {
    lt: "Teikėjas slaptažodį tikrina nepalaikomu būdu. Paprašykite MD5 arba SHA-256.",
    lv: "Pakalpojuma sniedzējs paroli pārbauda neatbalstītā veidā. Palūdziet MD5 vai SHA-256.",
    ru: "Провайдер проверяет пароль неизвестным способом. Попросите MD5 или SHA-256.",
  },
  "sip.route": {
    lt: "Su {server} susisiekti nepavyksta. Patikrinkite vardą, prievadą, transportą ir TLS sertifikatą.",
    lv: "Ar {server} neizdodas sazināties. Pārbaudiet vārdu, portu, transportu un TLS sertifikātu.",
    ru: "С {server} не удаётся связаться. Проверьте имя, порт, транспорт и сертификат TLS.",
  },
  "sip.silent": {
    lt: "{server} neatsako. Patikrinkite serverio vardą, prievadą ir užkardą.",
    lv: "{server} neatbild. Pārbaudiet servera vārdu, portu un ugunsmūri.",
    ru: "{server} не отвечает. Проверьте имя сервера, порт и межсетевой экран.",
  },
  "sip.401": {
    lt: "Teikėjas nepriėmė naudotojo vardo arba slaptažodžio. Patikrinkite abu ir sritį (realm).",
    lv: "Pakalpojuma sniedzējs nepieņēma lietotājvārdu vai paroli. Pārbaudiet abus un apgabalu (realm).",
    ru: "Провайдер не принял имя или пароль. Проверьте оба и область (realm).",
  },
  "sip.403": {
    lt: "Teikėjas šiai paskyrai registruotis neleidžia. Patikrinkite vardą ir slaptažodį arba klauskite teikėjo.",
    lv: "Pakalpojuma sniedzējs šim kontam reģistrēties neļauj. Pārbaudiet vārdu un paroli vai jautājiet pakalpojuma sniedzējam.",
    ru: "Провайдер не даёт этой учётной записи регистрироваться. Проверьте имя и пароль или спросите провайдера.",
  },
  "sip.404": {
    lt: "Teikėjas tokio naudotojo nepažįsta. Patikrinkite naudotojo ir serverio vardus.",
    lv: "Pakalpojuma sniedzējs tādu lietotāju nepazīst. Pārbaudiet lietotājvārdu un servera vārdu.",
    ru: "Провайдер не знает такого пользователя. Проверьте имя пользователя и сервера.",
  },
  "sip.423": {
    lt: "Teikėjas nori ilgesnės registracijos, nei galima prašyti. Klauskite teikėjo.",
    lv: "Pakalpojuma sniedzējs vēlas ilgāku reģistrāciju, nekā drīkst prasīt. Jautājiet pakalpojuma sniedzējam.",
    ru: "Провайдеру нужен более долгий срок регистрации, чем можно просить. Спросите провайдера.",
  },
  "sip.5xx": {
    lt: "Teikėjo serveris perkrautas arba sugedęs (kodas {code}). Bandysime dar kartą.",
    lv: "Pakalpojuma sniedzēja serveris ir pārslogots vai bojāts (kods {code}). Mēģināsim vēlreiz.",
    ru: "Сервер провайдера перегружен или неисправен (код {code}). Попробуем ещё раз.",
  },
  "sip.other": {
    lt: "Teikėjas registracijos nepriėmė (kodas {code}). Klauskite teikėjo, kodėl.",
    lv: "Pakalpojuma sniedzējs reģistrāciju nepieņēma (kods {code}). Jautājiet pakalpojuma sniedzējam, kāpēc.",
    ru: "Провайдер отклонил регистрацию (код {code}). Спросите провайдера, почему.",
  },
  "check.alg.warning": {
    lt: "Kažkas pakeliui keičia SIP. Išjunkite maršrutizatoriaus SIP ALG arba rinkitės TLS perdavimą.",
    lv: "Kaut kas pa ceļam maina SIP. Izslēdziet maršrutētāja SIP ALG vai izvēlieties TLS transportu.",
    ru: "Что-то по пути меняет SIP. Выключите SIP ALG в маршрутизаторе или выберите транспорт TLS.",
  },
  "check.unknown": {
    lt: "Kita pusė to nenurodo; paaiškės per skambutį.",
    lv: "Otra puse to nepasaka; parādīs zvans.",
    ru: "Другая сторона этого не говорит; покажет звонок.",
  },
  "check.registration.ok": {
    lt: "Registracija tvarkinga.",
    lv: "Reģistrācija ir kārtībā.",
    ru: "С регистрацией всё в порядке.",
  },
  "check.registration.failed": {
    lt: "Neužregistruota. Priežastis parašyta aukščiau.",
    lv: "Nav reģistrēta. Iemesls rakstīts augstāk.",
    ru: "Не зарегистрирована. Причина указана выше.",
  },
  "check.registration.unknown": {
    lt: "Registruojama; paklauskite po akimirkos.",
    lv: "Reģistrējas; pajautājiet pēc brīža.",
    ru: "Регистрируется; спросите чуть позже.",
  },
  "check.options.ok": { lt: "Serveris atsako.", lv: "Serveris atbild.", ru: "Сервер отвечает." },
  "check.options.warning": {
    lt: "Serveris atsako, bet mūsų nepriima. Patikrinkite naudotojo vardą, slaptažodį ir sritį; jei linija užregistruota, tai nekenkia.",
    lv: "Serveris atbild, bet mūs nepieņem. Pārbaudiet lietotājvārdu, paroli un apgabalu; ja līnija ir reģistrēta, tas nekaitē.",
    ru: "Сервер отвечает, но нас не принимает. Проверьте имя, пароль и область; если линия зарегистрирована, это не вредит.",
  },
  "check.options.failed": {
    lt: "Serveris neatsako. Patikrinkite jo vardą, prievadą, perdavimą ir užkardą.",
    lv: "Serveris neatbild. Pārbaudiet tā vārdu, portu, transportu un ugunsmūri.",
    ru: "Сервер не отвечает. Проверьте имя, порт, транспорт и межсетевой экран.",
  },
  "check.servers.ok": { lt: "Serveris rastas.", lv: "Serveris ir atrasts.", ru: "Сервер найден." },
  "check.servers.warning": {
    lt: "Kai kurie serveriai ką tik neatsakė; skambučiai eina per kitus.",
    lv: "Daži serveri tikko neatbildēja; zvani iet caur citiem.",
    ru: "Некоторые серверы только что не ответили; звонки идут через другие.",
  },
  "check.servers.failed": {
    lt: "Nė vieno veikiančio serverio nerasta. Patikrinkite vardą ir DNS.",
    lv: "Nav atrasts neviens strādājošs serveris. Pārbaudiet vārdu un DNS.",
    ru: "Ни одного работающего сервера не найдено. Проверьте имя и DNS.",
  },
  "check.nat.ok": {
    lt: "Teikėjas mato mus teisingu adresu.",
    lv: "Pakalpojuma sniedzējs mūs redz ar pareizo adresi.",
    ru: "Провайдер видит нас по верному адресу.",
  },
  "check.nat.warning": {
    lt: "Tarp mūsų ir teikėjo yra NAT. Jei skambinantieji nieko negirdi, nukreipkite [rtp] prievadus į šį kompiuterį.",
    lv: "Starp mums un pakalpojuma sniedzēju ir NAT. Ja zvanītāji neko nedzird, pāradresējiet [rtp] portus uz šo datoru.",
    ru: "Между нами и провайдером NAT. Если звонящие ничего не слышат, пробросьте порты [rtp] на этот компьютер.",
  },
  "check.nat.failed": {
    lt: "Teikėjas mato kitą adresą, nei parašyta [sip] external_ip: skambinantieji nieko negirdėtų. Įrašykite „auto“.",
    lv: "Pakalpojuma sniedzējs redz citu adresi, nekā rakstīts [sip] external_ip: zvanītāji neko nedzirdētu. Ierakstiet “auto”.",
    ru: 'Провайдер видит другой адрес, чем в [sip] external_ip: звонящие ничего не услышат. Поставьте "auto".',
  },
  "check.calls.ok": {
    lt: "Teikėjas šios linijos skambučius priima.",
    lv: "Pakalpojuma sniedzējs šīs līnijas zvanus pieņem.",
    ru: "Провайдер принимает звонки этой линии.",
  },
  "check.calls.warning": {
    lt: "Bandomasis skambutis nepavyko. Paskambinkite savo numeriu; jei nepavyks, klauskite teikėjo.",
    lv: "Izmēģinājuma zvans neizdevās. Piezvaniet uz savu numuru; ja neizdosies, jautājiet pakalpojuma sniedzējam.",
    ru: "Тестовый звонок не удался. Позвоните на свой номер; если не выйдет, спросите провайдера.",
  },
  "check.calls.failed": {
    lt: "Teikėjas nepriėmė garso. Klauskite, kokių kodekų ir šifravimo jis nori.",
    lv: "Pakalpojuma sniedzējs nepieņēma skaņu. Jautājiet, kādus kodekus un šifrēšanu tas vēlas.",
    ru: "Провайдер не принял звук. Спросите, какие кодеки и шифрование ему нужны.",
  },
  "check.codecs.ok": {
    lt: "Bendras kodekas yra.",
    lv: "Kopīgs kodeks ir.",
    ru: "Общий кодек есть.",
  },
  "check.codecs.failed": {
    lt: "Bendro kodeko nėra. Paprašykite teikėjo leisti PCMA arba PCMU.",
    lv: "Kopīga kodeka nav. Palūdziet pakalpojuma sniedzējam atļaut PCMA vai PCMU.",
    ru: "Общего кодека нет. Попросите провайдера разрешить PCMA или PCMU.",
  },
  "check.dtmf.ok": {
    lt: "Klavišų paspaudimai perduodami.",
    lv: "Taustiņu spiedieni tiek nodoti.",
    ru: "Нажатия клавиш передаются.",
  },
  "check.dtmf.warning": {
    lt: "Paspaudimai gali ateiti tik kaip tonai. Paprašykite teikėjo RFC 4733.",
    lv: "Spiedieni var pienākt tikai kā toņi. Palūdziet pakalpojuma sniedzējam RFC 4733.",
    ru: "Нажатия могут приходить только тонами. Попросите у провайдера RFC 4733.",
  },
  "check.hold.ok": {
    lt: "Pokalbį galima sulaikyti.",
    lv: "Sarunu var aizturēt.",
    ru: "Разговор можно удержать.",
  },
  "check.hold.warning": {
    lt: "Sulaikyti gali nepavykti. Klauskite teikėjo apie re-INVITE.",
    lv: "Aizturēt var neizdoties. Jautājiet pakalpojuma sniedzējam par re-INVITE.",
    ru: "Удержание может не сработать. Спросите провайдера про re-INVITE.",
  },
  "check.transfer.ok": {
    lt: "Pokalbį galima perduoti.",
    lv: "Sarunu var pārslēgt.",
    ru: "Разговор можно перевести.",
  },
  "check.transfer.warning": {
    lt: "Perdavimui reikės dviejų linijų: teikėjas nesako, kad priima REFER.",
    lv: "Pārslēgšanai vajadzēs divas līnijas: pakalpojuma sniedzējs nesaka, ka pieņem REFER.",
    ru: "Для перевода нужны две линии: провайдер не говорит, что принимает REFER.",
  },
  "check.session_timer.ok": { lt: "Tvarkinga.", lv: "Kārtībā.", ru: "В порядке." },
  "doctor.backup": { lt: "Atsarginė kopija", lv: "Rezerves kopija", ru: "Резервная копия" },
  "doctor.clock": { lt: "Laikrodis", lv: "Pulkstenis", ru: "Часы" },
  "doctor.configuration": { lt: "Konfigūracija", lv: "Konfigurācija", ru: "Конфигурация" },
  "doctor.data_directory": { lt: "Duomenų katalogas", lv: "Datu mape", ru: "Каталог данных" },
  "doctor.database": { lt: "Duomenų bazė", lv: "Datubāze", ru: "База данных" },
  "doctor.descriptors": {
    lt: "Atvertų failų riba",
    lv: "Atvērto failu robeža",
    ru: "Предел открытых файлов",
  },
  "doctor.disk": { lt: "Vieta diske", lv: "Vieta diskā", ru: "Место на диске" },
  "doctor.DNS": { lt: "DNS vardai", lv: "DNS nosaukumi", ru: "Имена DNS" },
  "doctor.engine": {
    lt: "Kalbos sistema",
    lv: "Runas sistēma",
    ru: "Речевая система",
  },
  "doctor.knowledge_search": {
    lt: "Paieška žiniose",
    lv: "Meklēšana zināšanās",
    ru: "Поиск по знаниям",
  },
  "doctor.mail": { lt: "Paštas", lv: "Pasts", ru: "Почта" },
  "doctor.models": { lt: "Modelių galiojimas", lv: "Modeļu termiņi", ru: "Сроки моделей" },
  "doctor.NAT": {
    lt: "Adresų vertimas (NAT)",
    lv: "Adrešu pārveide (NAT)",
    ru: "Трансляция адресов (NAT)",
  },
  "doctor.packets": { lt: "Garso paketai", lv: "Skaņas paketes", ru: "Пакеты звука" },
  "doctor.ports": { lt: "Prievadai", lv: "Porti", ru: "Порты" },
  "doctor.RTP_ports": {
    lt: "Garso prievadai (RTP)",
    lv: "Skaņas porti (RTP)",
    ru: "Порты звука (RTP)",
  },
  "doctor.secrets": { lt: "Paslaptys", lv: "Noslēpumi", ru: "Секреты" },
  "doctor.SIP_ALG": {
    lt: "SIP ALG maršrutizatoriuje",
    lv: "SIP ALG maršrutētājā",
    ru: "SIP ALG в маршрутизаторе",
  },
  "doctor.own_voices": {
    lt: "Savi balsai",
    lv: "Savas balsis",
    ru: "Свои голоса",
  },
  "doctor.speech_capacity": {
    lt: "Kiek pokalbių vienu metu",
    lv: "Cik sarunu vienlaikus",
    ru: "Сколько разговоров сразу",
  },
  "doctor.TLS": { lt: "TLS sertifikatas", lv: "TLS sertifikāts", ru: "Сертификат TLS" },
  "doctor.tools": { lt: "Įrankiai", lv: "Rīki", ru: "Инструменты" },
  "doctor.trunks": { lt: "SIP linijos", lv: "SIP līnijas", ru: "SIP-линии" },
  "note.call": {
    lt: "{total} s skambutis: {plan} s iš plano, {over} s virš jo.",
    lv: "{total} s zvans: {plan} s no plāna, {over} s virs tā.",
    ru: "Звонок {total} с: {plan} с из тарифа, {over} с сверх него.",
  },
} satisfies ServerMessages & Record<Needed, unknown>;
