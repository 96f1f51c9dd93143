/** English function words: they say nothing about the subject of a text. The German ones follow. */

const ENGLISH = wordsOf(`
a about above after again all almost alone along already also although always am among an and another any anybody anyone
anything anyway are aren around as at away back be became because become been before behind being below between both but by
came can cannot could couldn d did didn do does doesn doing don done down during each either else enough even ever every
everyone everything except far few for from further get gets getting give given gives go goes going gone got had hadn has
hasn have haven having he hello her here hers herself hey hi him himself his how however i if in indeed instead into is isn
it its itself just keep kind know known last later least less let lets like likely ll look lot m made make makes making many
may maybe me mean might mine more most mostly much must my myself need needs neither never next no nobody none nor not
nothing now of off often oh ok okay on once one ones only onto or other others ought our ours ourselves out over own per
perhaps please put quite rather re really right s same saw say says second see seem seems seen several shall she should
shouldn since so some somebody someone something sometimes soon still such sure t take taken takes tell than thank thanks
that the their theirs them themselves then there these they thing things think this those though three through thus to
today together tomorrow too toward try trying two under until unless up upon us use used uses using usually ve very via want
wants was wasn way we well went were weren what whatever when whenever where whether which while who whole whom whose why
will with within without won would wouldn yes yesterday yet you your yours yourself
`);

const GERMAN = wordsOf(`
ab aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bald bei beide beim bin bis
bist bitte bleibt da dabei dadurch dafur dagegen daher dahin damit danach daneben dann daran darauf daraus darf darin daruber
darum das dass davon dazu dein deine dem den denen denn der deren des deshalb dessen dich die dies diese diesem diesen dieser
dieses dir doch dort du durch durfen eben ein eine einem einen einer eines einfach einige einmal er erst es etwa etwas euch
euer eure fur ganz geben gegen gehen geht genau gerade gern gibt habe haben hast hat hatte hatten hier hin hinter ich ihm ihn
ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinem
keinen keiner konnen konnte konnten lassen lieber machen macht mal man mehr mein meine meinem meinen meiner mich mir mit muss
mussen musste nach nachdem naturlich neben nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen
seiner seit selbst sich sie sind so sobald soll sollen sollte sollten solche sondern sonst soviel sowie trotzdem uber uberall
um und uns unser unsere unserem unseren unserer unter viel viele vielleicht vom von vor wahrend wann war waren warum was weil
weiter weitere welche welchem welchen welcher welches wenig wenn wer werde werden weshalb wie wieder wieso will wir wird wo
wohin wollen wollte wurde wurden wurde zu zum zur zwar zwei zwischen
`);

/** Function words of languages without spaces: they separate the other words. */
const SEPARATORS: readonly string[] = `
我们 你们 他们 咱们 这个 那个 这些 那些 什么 怎么 怎样 为什么 如何 哪里 哪个 哪些 多少 是否 可以 能否 能不能 是不是 有没有 需要 应该 帮我 帮忙
请问 一下 一个 一些 现在 已经 还是 或者 以及 因为 所以 如果 但是 然后 之前 之后 时候 没有 不要 不能 就是 关于 进行 使用 的 了 吗 呢 吧 啊 是 在
和 与 或 把 被 给 让 对 从 到 向 用 请 我 你 他 她 它 这 那 就 都 也 还 很 要 会 有 不 该 得 地 着 过 哪 谁 上次
です ます でした ました する した して ください の は が を に で と も へ から まで
`
  .trim()
  .split(/\s+/);

export const FUNCTION_WORDS: ReadonlySet<string> = ENGLISH.union(GERMAN);

/** Whether a text's words (`readWords`) have more German than English function words. */
export function isGerman(words: readonly string[]): boolean {
  const count = (language: ReadonlySet<string>): number => words.filter((word) => language.has(word)).length;
  return count(GERMAN) > count(ENGLISH);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The longest first, so that a part of one does not match. */
export const SEPARATOR: RegExp = new RegExp(
  SEPARATORS.toSorted((one, other) => other.length - one.length).join("|"),
  "gu",
);
