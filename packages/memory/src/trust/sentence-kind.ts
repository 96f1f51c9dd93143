/**
 * What a sentence of the user is good for. `lasting`: it says that something holds beyond this task. `plain`: nothing in it says
 * so. `passing`: it is about this moment. `withdrawn`: it takes something back, or asks not to remember it.
 */
export type SentenceKind = "lasting" | "plain" | "question" | "reported" | "supposed" | "withdrawn" | "passing";

const QUESTION = /[?？]\s*$|^(?:what|why|how|where|which|who|could you|can you|do we|does|should we)\b[^,]*$/i;

/** Words of somebody else: a verb of saying whose subject is neither "I" nor "we" nor "you". */
const REPORTED = [
  /(?<!\b(?:i|we|you|i'd|we'd) )\b(?:says?|said|claims|claimed|thinks?|thought|believes?|believed|wrote|writes|suggests?|recommends?|insists|argues|scribbled|meint|meinte|sagt|sagte|behauptet|glaubt)\b/i,
  /\b(?:told (?:me|us)|wants? (?:us|me) to|according to|apparently|supposedly|i(?:'ve)? heard|i(?:'ve)? read (?:on|in|that)|laut|angeblich)\b/i,
];

const SUPPOSED = /\bif (?:i|we) (?:were|had|was)\b|\bwould (?:always|never|have)\b|\bi wish\b|\bw[äa]re\b|\bh[äa]tte/i;

const WITHDRAWN = [
  /(?:\b(?:never|not)|n't) (?:said|say|saying|mean|meant|claim)\b/i,
  /\b(?:not|isn't) true\b|\bwrong that\b|\bnever ?mind\b|\bscratch that\b|\bbad idea\b/i,
  /(?<!\b(?:never|not|don't) )\bforget (?:that|it|this|what)\b|\bignore (?:that|this|what)\b/i,
  /(?:\bnot|n't) (?:\w+ )?(?:remember|save|store|note|memorize)\b/i,
  /\bnot (?:all|every|always|everything|everyone|each)\b|n't (?:always|all|every)\b/i,
  /\bmerk\w* (?:dir )?(?:das |es )?nicht\b|\bnicht\b.*\bmerk|\bvergiss\b/i,
];

const PASSING = [
  /\b(?:this once|this time|for now|right now|at the moment|for the moment|just now|for a moment)\b/i,
  /\b(?:today|tonight|tomorrow|yesterday|temporarily|afterwards|meanwhile|later)\b|\bthis (?:morning|afternoon|evening|week)\b/i,
  /\bfor (?:this|the) (?:demo|test|spike|experiment|run|session|task|moment|screenshot)\b/i,
  /\b(?:in|for|on) this (?:file|script|function|test|class|commit|branch|pr|pull request|method|case|line|ticket|one)\b/i,
  /\buntil i\b|\buntil i'm\b|\bin a (?:hurry|minute|second|moment)\b|\bin \w+ minutes\b/i,
  /\b(?:heute|jetzt|erst ?mal|vorerst|diesmal|ausnahmsweise|gerade|morgen)\b|sp[äa]ter\b/i,
];

const LASTING = [
  // How often, and from when on.
  /\b(?:always|never|ever|every\w*|each|whenever|anytime|usually|generally|by default|as a rule|from now on|in (?:the )?future|going forward)\b/i,
  /\ball (?:of )?(?:our|new|the)\b|\ball \w+s\b|\b(?:immer|nie|niemals|jede\w*|alle|ab jetzt|ab sofort|in zukunft)\b|k[üu]nftig|grunds[äa]tzlich|[üu]berall|\bkein\w* .*\bmehr\b/i,
  /以后|总是|永远|一直|每次|都用|喜欢|我是|今後|いつも|常に|毎回/,
  // A request to remember.
  /\b(?:remember|keep (?:that|this|it)?\s?in mind|for (?:future )?reference|note that|fyi|keep (?:doing|that)|merk dir)\b/i,
  // Taste.
  /\b(?:prefers?|preferred|rather|bevorzug\w*)\b|\bi (?:like|love|hate|dislike|care)\b|\bis (?:what|how) (?:i|we) (?:want|like)\b/i,
  // Duties.
  /\b(?:must|mandatory|required|forbidden|has to be|have to be|may not|not allowed|no exceptions|are out|only)\b/i,
  /\bneeds? (?:\w+ )?(?:okay|ok|review|approval)\b|\b(?:before|after|when|whenever|if|unless) (?:you|every|each|an?|any|there)\b/i,
  /\byour (?:answers?|responses?|summar\w+|explanations?|commits?|messages?|code|tests?)\b|^(?:please )?(?:no \w+ (?:in|for|on)|stop \w+ing|avoid)\b|, like \S*[\d_/.-]\S*/i,
  // Who the user and the team are, and what they use.
  /\bi(?:'m| am) (?!going|trying|looking|getting|seeing|not|still|just|thinking|done|tired|sure|sorry|afraid|about|stuck|confused|back|happy|busy|in a hurry|almost|ready|saying|testing|debugging|working on)\w+/i,
  /\bi (?:use|work|live|lead|only|speak|write|review|own|maintain)\b|\b(?:my|our) (?:[\w-]+ ){1,4}(?:is|are|lives?|runs?|address|has|have|stays?|goes?|comes?)\b|\bis my\b/i,
  /\bwe (?:use|have|are (?:moving|migrating|on|using)|'re (?:moving|migrating|on|using)|run|decided|agreed|promised|committed|keep|host|deploy|ship|support|pin|want)\b/i,
  /\bwir (?:nehmen|nutzen|haben|verwenden|benutzen|sind)\b/i,
  // Where things are, and whose they are. A place in the project can be looked up.
  /^(?!(?:this|that|it|these|there)\b)(?:(?!\b\S+\/\S+\.\w+).)*?\b(?:is|are|lives?|runs?|stays?|lands?|goes|go|comes?|kept|tracked|stored|documented|hosted|uploaded|reported|filed) (?:\w+ )?(?:in|at|on|under|to|through|out)\b/i,
  /\b(?:belongs? to|owns|owned by|reviewed by|watch(?:es|ed by)|driven by|exists for|required by)\b/i,
  // Dates and sizes.
  /\b\d{4}-\d{2}-\d{2}\b|\bq[1-4] \d{4}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{4}\b|\ba (?:month|week|day|year)\b|\b(?:frozen|freeze|deadline|capped)\b|\b\d+ (?:billion|million|times)\b/i,
  // The place where a rule holds.
  /\b(?:in|for) this (?:repo|repository|project|codebase|app|team|company|monorepo)\b|\bhere (?:are|is|start\w*|we|must|need)\b|\b(?:we|required|use \S+|functions) here\b/i,
];

/**
 * Says what a sentence is good for. Signs are words: a sentence without one is not remembered on its own, but may wait for the
 * user's approval.
 * @param part the part of the sentence that a claim is about, with what leads up to it. @default all of it
 */
export function kindOfSentence(sentence: string, part: string = sentence): SentenceKind {
  const isIn = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));
  if (isIn(WITHDRAWN, sentence)) return "withdrawn";
  if (QUESTION.test(sentence)) return "question";
  if (isIn(REPORTED, sentence)) return "reported";
  if (SUPPOSED.test(sentence)) return "supposed";
  if (isIn(PASSING, part)) return "passing";
  return isIn(LASTING, sentence) ? "lasting" : "plain";
}
