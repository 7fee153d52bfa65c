"""The words of the planted critiques: what they are about, and how each mechanism is put.

`[a|b]` is a choice, `{kind1}` a slot that a word of that kind fills; a number repeats the filling.
"""

from itertools import product


def _names(firsts: str, lasts: str) -> list[str]:
    return [f"{first} {last}" for first, last in product(firsts.split(), lasts.split())]


PEOPLE = _names(
    "Anna Ben Chidi Dora Emeka Farid Greta Hana Ivan Jun Kofi Lena Milo Nadia Oskar Priya Quinn "
    "Rosa Sven Tariq Uma Viktor Wanda Xavier Yara Zoltan",
    "Abara Bergman Castillo Dubois Eriksen Farkas Goldberg Haddad Ito Jansen Kowalski Lindqvist "
    "Moreau Nakamura Okafor Petrov",
)
PLACES = (
    "Lisbon Oslo Quito Nairobi Hanoi Tbilisi Antwerp Bergen Cusco Dakar Esbjerg Fes Graz Haifa "
    "Izmir Jaipur Kyoto Leeds Malmo Nantes Odessa Porto Riga Seville Turku Utrecht Varna Wroclaw"
).split()
THINGS = [
    f"the {kind} {noun}"
    for kind, noun in product(
        "northern old second royal municipal coastal central wooden joint annual".split(),
        "bridge museum treaty railway festival orchestra dam library council observatory".split(),
    )
]


def _domain(things: list[str], who: list[str], facts: str, states: str) -> dict[str, list[str]]:
    return {
        "x": things,
        "who": who,
        "fact": [fact.strip() for fact in facts.split(";")],
        "state": [state.strip() for state in states.split(";")],
    }


DOMAINS: tuple[dict[str, list[str]], ...] = (
    _domain(
        THINGS,
        PEOPLE,
        "was opened in 1911; was designed by a Danish firm; cost twice the estimate; closed for "
        "eight years; was moved across the river; drew a million visitors; was named after a poet",
        "open to the public; older than the town hall; owned by the state; finished on time",
    ),
    _domain(
        [f"{name}'s {noun}" for name in PEOPLE[::9] for noun in ("novel", "opera", "film")],
        PEOPLE,
        "won a prize in 1974; was written in exile; premiered in Vienna; was banned for a decade; "
        "is set in a fishing village; was translated by a cousin; sold poorly at first",
        "a comedy; part of a trilogy; out of print; based on a true story",
    ),
    _domain(
        [f"the city of {place}" for place in PLACES] + [f"the port of {place}" for place in PLACES],
        PEOPLE,
        "lies on a river; has a university; was founded by monks; lost its charter; exports "
        "copper; hosted the games in 1928; borders a desert; has two airports",
        "a capital; larger than its neighbour; on the coast; in the northern province",
    ),
    _domain(
        "the wug;the blick;the dax;the zorp;the grimp;the fep;the vumpus;the lorp;the tumpus;"
        "the yumpus;the jompus;the sterp;the numpus;the rompus".split(";"),
        PEOPLE,
        "is furry; eats every dax; is not cold; likes the lion; is round or red; chases the cat; "
        "is a kind of tumpus; sees no mouse; is opaque and slow",
        "kind; blue; nice; rough; metallic; quiet; young",
    ),
    _domain(
        [f"the {kind} lease" for kind in "first commercial renewed shared disputed".split()]
        + [f"the {kind} permit" for kind in "building export fishing event transit".split()]
        + [f"the {kind} licence" for kind in "trade pilot hunting broadcast school".split()],
        PEOPLE,
        "expires after ten years; needs two signatures; was signed in March; excludes minors; "
        "lapses without notice; covers the cellar; was granted by the board",
        "valid; void; transferable; in force; limited to residents",
    ),
    _domain(
        "the enzyme;the alloy;the vaccine;the comet;the glacier;the beetle;the isotope;the orchid;"
        "the reservoir;the sensor;the mutation;the catalyst;the bacterium;the telescope".split(";"),
        PEOPLE,
        "was found in 1962; reacts with oxygen; doubles every hour; melts at forty degrees; "
        "survives the winter; is heavier than lead; was measured twice; spreads by air",
        "stable; toxic; rare; visible to the eye; older than the crater",
    ),
    _domain(
        [f"{who}'s team" for who in PEOPLE[::11]] + [f"{who}'s shift" for who in PEOPLE[5::13]],
        PEOPLE,
        "meets before noon; works on Tuesday; has five members; follows the red group; never "
        "takes the late slot; sits next to the window; presents last",
        "scheduled first; assigned to room two; on the waiting list; selected",
    ),
    _domain(
        "the factory;the start-up;the bakery chain;the bank;the airline;the clinic;the shipyard;"
        "the publisher;the brewery;the mine;the insurer;the vineyard;the farm union".split(";"),
        PEOPLE,
        "raised its prices; hired two hundred people; lost its largest client; moved abroad; cut "
        "its emissions; spent more on adverts; recorded fewer accidents; bought a rival",
        "profitable; privately held; the market leader; in debt",
    ),
)

PLAIN: dict[str, list[str]] = {
    "x": (
        "the subject;the entity;the item;the object in question;the event;the case at hand;the "
        "thing described;the group;the member;the candidate;the element;the first of them;the "
        "other one;the one asked about;the second item;the target"
    ).split(";"),
    "who": (
        "the author;the speaker;the writer;the first person;the other person;the person named;"
        "the one who acted;the owner;the witness"
    ).split(";"),
    "fact": (
        "has the property;meets the condition;comes first;belongs to the class;happened earlier;"
        "is linked to the other;took part;is on the list;was chosen;changed later;is larger"
    ).split(";"),
    "state": (
        "true;allowed;required;of that kind;as described;in the set;the answer;the right one;"
        "given;settled"
    ).split(";"),
}
"""Words for things that are not named: critics often speak of the mechanism alone."""

OPENINGS = (
    "Step {step} is unfaithful.",
    "The [problem|trouble|fault] [is here|lies in this step].",
    "[Looking at|Regarding] {x1}:",
    "Up to step {step} [all is well|nothing is wrong], then it fails.",
    "The step [talks about|deals with|is about] {x1}.",
    "{who1} is [mentioned|discussed|brought up] here.",
)
CLOSINGS = (
    "The [final answer|conclusion|rest of the chain] [depends on this|inherits the mistake].",
    "This [should be|has to be] [fixed|rejected|corrected].",
    "So the step [cannot stand|is not faithful|has to go].",
    "The part about {who1} is [fine|irrelevant here].",
    "[Nothing else|Little else] in step {step} is wrong.",
)

PHRASINGS: dict[str, tuple[str, ...]] = {
    "reversed_reasoning": (
        "From 'if {x1} {fact1} then it is {state1}' the step [derives|concludes|infers] the "
        "converse: being {state1} [would mean|is taken to mean] that it {fact1}.",
        "The implication is read [backwards|in the wrong direction]: the rule goes from '{fact1}' "
        "to '{state1}', yet the step [goes|argues] from '{state1}' back to '{fact1}'.",
        "This affirms the consequent. {x1} is {state1}, and the step [deduces|claims] the "
        "antecedent, that it {fact1}.",
        "A sufficient condition is treated as [a necessary one|if it were necessary]: {x1} may be "
        "{state1} without the condition that it {fact1}.",
        "Cause and effect are swapped: that {x1} {fact1} is the [result|effect], and the step "
        "[makes|takes] it for the cause of what {who1} did.",
        "The step [starts from|assumes] the outcome and reasons back to its premise, which the "
        "one-way rule about {x1} does not [allow|license].",
        "It denies the antecedent: because it is not so that {x1} {fact1}, the step [infers|says] "
        "it is not {state1}, the inverse of the given conditional.",
    ),
    "wrong_argument_reading": (
        "The step misidentifies the argument's [main point|conclusion]: {who1} [argues|maintains] "
        "that {x1} {fact1}, not that it is {state1}.",
        "A [concession|background remark] about {x1} is mistaken for what the author [concludes|"
        "sets out to prove].",
        "The role of the statement is misread: that {x1} {fact1} is a premise of {who1}'s "
        "argument, and the step [calls|labels] it the conclusion.",
        "{who1}'s argument is [misconstrued|misinterpreted]: the stimulus attacks the opposing "
        "view of {x1}, and the step [reads|takes] it as support.",
        "The question asks what [weakens|strengthens] the argument on {x1}, and the step answers "
        "[the opposite task|as if it asked for an assumption].",
        "The step [distorts|misreports] the structure of the reasoning: the claim that {x1} "
        "{fact1} answers an objection, it is not the author's thesis.",
    ),
    "rule_violation": (
        "The step [breaks|violates] a stated [rule|constraint]: [nothing|no one] that {fact1} may "
        "be {state1}, and {x1} is [placed|put] there anyway.",
        "A rule is applied although its condition is not [met|satisfied]: it needs that {x1} "
        "{fact1}, which was never [derived|established].",
        "The [constraint|restriction] on {x1} is [ignored|disobeyed]: the arrangement makes {who1} "
        "come second, which the conditions [forbid|rule out].",
        "Rule {step} is misapplied: it [covers|holds for] what is {state1} only, and the step uses "
        "it for {x1}.",
        "An exception [written into|stated in] the rules is skipped, so that {x1} gets {state1} in "
        "breach of the rule set.",
        "Two rules are chained although the first one does not [fire|trigger] for {x1}; the "
        "derivation is [not permitted|illegal] under the given rules.",
    ),
    "overreaching_claim": (
        "The step [overgeneralises|generalises too far]: from one [case|instance], {x1}, it "
        "concludes that all of them are {state1}.",
        "'Some' becomes '[all|every]': the premises [say|grant] only that {x1} sometimes {fact1}.",
        "The conclusion is [too strong|stronger than warranted]: the premises make it [likely|"
        "possible] that {x1} is {state1}, the step says it must be.",
        "A [possibility|maybe] is turned into a certainty: {x1} could be {state1}, but the step "
        "asserts it [definitely|without doubt|always] is.",
        "The scope is exaggerated: what holds for {x1} is extended to [every|any] other one, "
        "beyond what the premises [warrant|support].",
        "This [leap|jump] goes beyond the premises: that {x1} {fact1} does not suffice to conclude "
        "the [universal|sweeping|absolute] claim that it is {state1} in all cases.",
    ),
    "groundedness_violation": (
        "That {x1} {fact1} [appears|is found|occurs] nowhere in the [passages|context|documents]; "
        "the step [made it up|invented it].",
        "The step brings in outside knowledge: no [passage|paragraph] [mentions|says] that {x1} "
        "{fact1}.",
        "A [hallucinated|fabricated|made-up] detail: the sources are silent on whether {who1} had "
        "anything to do with {x1}.",
        "The [citation|reference] [{step}] does not contain the statement that {x1} {fact1}; it "
        "is unsupported by the text.",
        "This is [unsupported|not backed] by the provided evidence; the [context|text] never gives "
        "a [date|number|place] for {x1}.",
        "The model [relies on|fills in from] its own memory that {x1} {fact1}, which cannot be "
        "[verified|found] in the given documents.",
    ),
    "contradiction": (
        "The [passage|document] [says|states] that {x1} {fact1}; the step [says|asserts] the "
        "opposite.",
        "This directly contradicts the [text|source], in which {x1} {fact1}, whereas here it "
        "[supposedly|allegedly] {fact2}.",
        "The step [conflicts|is at odds] with passage {step}: there {x1} is not {state1}, here it "
        "is {state1}.",
        "It [denies|negates] what is [written|stated explicitly]: according to the text {x1} "
        "{fact1}, and the step claims it did not.",
        "The [year|number|date] given for {x1} is incompatible with the [document|paragraph], "
        "which has [another|a different] one: a plain contradiction of the source.",
        "The claim is refuted by the evidence: the text explicitly [rules out|excludes] that {x1} "
        "{fact1}, yet the step [affirms|insists on] it.",
    ),
    "confusion": (
        "Two [entities|people] are mixed up: it was {who1}, not {who2}, who is [linked|connected] "
        "to {x1}.",
        "The step [confuses|conflates] {x1} with {x2}; that it {fact1} is [true|said] of the "
        "latter.",
        "{who1} is [mistaken|taken] for {who2}, a [namesake|relative|different person] named in "
        "another passage.",
        "An attribute is [attached|attributed] to the wrong [entity|subject]: {x2} {fact1}, not "
        "{x1}.",
        "The pronoun is resolved to the wrong [person|referent]: 'it' [means|refers to] {x1}, "
        "and the step takes it for {x2}.",
        "Identity [mix-up|swap]: facts about {x1} and {x2} are [blended|merged] as if both were "
        "the same [one|entity].",
    ),
    "evidence_neglect": (
        "The step [overlooks|ignores|misses] passage {step}, which [says|shows] that {x1} {fact1} "
        "and would [settle|decide] the matter.",
        "Relevant evidence is [left out|disregarded]: the paragraph on {x1} is never "
        "[used|consulted].",
        "It [claims|says] that the documents give no answer about {x1}, although [one|a passage] "
        "clearly [provides|contains] it.",
        "Only [half|part] of the evidence is considered; the sentence on {who1} and {x1} is "
        "[skipped|passed over].",
        "The step [fails to take into account|neglects] the [key|decisive] fact, available in the "
        "context, that {x1} {fact1}.",
        "A [necessary|needed] hop is [omitted|skipped]: the information that links {who1} to "
        "{x1} is available in the text but [unused|not picked up].",
    ),
}

TAGS: dict[str, list[str]] = {
    "reversed_reasoning": ["converse error", "direction", "affirming the consequent", "reversal"],
    "wrong_argument_reading": ["misread argument", "argument structure", "wrong conclusion role"],
    "rule_violation": ["rule broken", "constraint", "condition not met", "misapplied rule"],
    "overreaching_claim": ["overgeneralisation", "too strong", "quantifier", "overclaim"],
    "groundedness_violation": ["unsupported", "hallucination", "not in context", "outside facts"],
    "contradiction": ["contradicts source", "conflict", "opposite of text"],
    "confusion": ["entity mix-up", "wrong referent", "misattribution", "conflated"],
    "evidence_neglect": ["missed evidence", "ignored passage", "omission", "incomplete"],
}

VAGUE = (
    "Something about {x} [seems|looks] off.",
    "[Not convincing|Unclear|Hard to follow].",
    "{who} [would not agree|might see it differently].",
    "I would [reword|shorten] step {step}; {x} {fact}, fine, but still.",
    "[Badly worded|Sloppy] writing about {x}.",
    "Step {step} is [odd|strange], and so is {x}.",
)
VAGUE_TAGS = ["error", "step", "reasoning", "unclear", "check again"]
