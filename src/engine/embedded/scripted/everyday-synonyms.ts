/**
 * Everyday English words that callers use as synonyms, one line per meaning. Suitable for any
 * business. A word may have several meanings. Forms with the same stem in `stems.ts` are not
 * listed.
 */
const MEANINGS = `
price cost charge fee rate pay much expensive cheap bill euros
cheaper discount reduction reduced deal offer less
free gratis complimentary included
open hours opening close closed until late early start
weekend saturday sunday
morning early breakfast
evening night late tonight
day today daily
week weekly
month monthly
year yearly annual
find located location address street situated where directions get
way reach directions drive
near nearby close next around
car parking park vehicle drive
bus train tram station
lift elevator stairs
wheelchair disabled ramp accessible
child kid children son daughter baby boy girl family
old age aged young years minimum
man men
woman women lady ladies
pet dog cat animal
teacher instructor trainer coach tutor
doctor dentist physician
mechanic technician specialist
staff employee people
member membership join sign register enrol subscribe
lesson class course training teach learn session
learn study practise beginner new never first
appointment visit booking reservation meeting
book reserve reservation booking arrange schedule
change move reschedule postpone shift another different
cancel end quit stop terminate leave out
pause stop suspend freeze interrupt break while
begin start
finish end
refund money back return
pay payment cash card credit transfer invoice instalments
buy purchase sell get order
sell stock offer shop
rent hire borrow lend loan
give offer provide have
need require must have necessary obligatory
bring take carry
keep store leave
wait waiting queue long take
long time duration last hours minutes
quick fast soon express urgent immediately
urgent emergency immediately
often regularly frequently every
hurt pain painful ache
ill sick
repair fix broken damaged service
check inspect inspection test examine look
clean cleaning wash
replace change swap exchange new
guarantee warranty
insurance insured covered
eat food meal restaurant lunch dinner breakfast
drink coffee tea
room accommodation stay
bed sleep
internet wifi wireless online
shower bath wash
swim swimming pool
clothes wear dress change
email mail
phone telephone call number
document paper papers identity passport
try trial test
show explain help
speak talk language
kind type sort which
big large size
gift present voucher
collect pick fetch
deliver delivery send bring
person people group
teeth tooth
machine equipment device
instrument guitar piano violin
tyre tyres wheel wheels
`;

/** Synonyms by word, all as stems. */
export function everydaySynonyms(
  stem: (word: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const synonyms = new Map<string, Set<string>>();
  for (const line of MEANINGS.trim().split("\n")) {
    const stems = line.split(" ").map(stem);
    for (const word of stems) {
      const known = synonyms.get(word) ?? new Set<string>();
      for (const other of stems) if (other !== word) known.add(other);
      synonyms.set(word, known);
    }
  }
  return synonyms;
}
