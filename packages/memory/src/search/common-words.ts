/**
 * Words that occur in texts about anything. Their rarity among the topics says less than that of a name or a term: with a few
 * hundred topics, `annoyed` is as rare as `postgres`. Collected from the language and from how people speak to a coding agent,
 * not from any set of topics.
 */

/** Words of requests to a coding agent: they are about the work, not the subject. */
const WORKING = `
add adjust agent allow answer app apply approach bit bug build call case change check class clean cleanup code come command
complete component create current debug default describe detail different directory discuss document does edit error example
existing expect explain extra fail feature file find fine finish fix folder follow format function generate good great handle
happen help hold idea implement improve include information issue item kept leave line list long lookup main meant method
minor missing mistake module move name new number old open option order output page part pass people piece place plan point
possible prefer problem program project properly provide quick quickly read ready real reason refactor remember remove rename
repeat replace request result return review rewrite run save script send set setup short show simple single small something
sort source start step stop stuff support system task team test text time touch turn type understand update user value
variable version wait work working write wrong
aufgabe andern anpassen ansehen anzeigen aufraumen ausgabe bauen baut beispiel beheben bekommen brauchen braucht code datei
dateien einbauen erklaren erstellen erzeugen fehler finden frage funktion funktionieren hilfe hilf hinzufugen kaputt klappt
komisch kurz laufen lauft liste losche loschen losung mach methode nehmen neu neue neuen neuer nutzen ordner passiert passt
problem prufen prufe punkt sagen schau schauen schnell schreib schreiben seite stelle stellen suche suchen teil test testen
umbauen verbessern verstehen verwenden wert zeig zeigen zeit zeile
`;

const ENGLISH = `
ability able absence absolute accept accident account across act action active actual actually address advance advantage advice
afford afraid afternoon age ago agree agreement ahead aim air allow almost alone aloud amount angle angry annoy annoying answer
anymore apart apparently appear appearance area argue argument arm arrange arrive article aside ask asleep assume attach attempt
attention automatic automatically available average avoid aware awful awkward bad badly bag balance ball bank bar bare base
basic basically beat beautiful bed begin beginning behave behaviour behavior behind belief believe belong below bend benefit
best bet better beyond big bigger biggest bill bit black blank block blue board boat body bold book border bore boring born
borrow bother bottom box break breakfast breath bridge brief bright brilliant bring broad broken brother brown building bunch
burn bus business busy button buy calculate calm capital car card care careful carefully carry catch category cause center
centre certain certainly chain chair challenge chance chapter character charge cheap check child choice choose circle city claim
clear clearly clever click clock close cloth cloud club coffee cold collect collection colour color column combine comfortable
common company compare competition complain complex complicated concern condition confuse confusing confused connect connection
consider consist constant contact contain content continue control convenient conversation convert cook cool copy corner correct
correctly cost count country couple course cover crash crazy cross crowd cry cup curious currently custom customer cut daily damage
dance danger dangerous dark date daughter day dead deal dear death decide decision deep definitely degree delay deliver depend
depth desk despite destroy determine develop die difference difficult difficulty dinner direct direction directly dirty disappear
discover discussion display distance divide doctor dog door double doubt draw drawing dream dress drink drive drop dry due dull
dust duty early earn earth easily east easy eat edge effect effort eight elegant eleven empty encourage end enemy energy engine
enjoy enormous enough ensure enter entire entirely entrance entry equal equally escape especially essential estimate evening
event eventually evidence exact exactly excellent exchange excite exciting excuse exist expensive experience expert express
extend extremely eye face fact fair fairly faith fall false familiar family famous fancy far farm fast father fault favour favor
favourite favorite fear feed feel feeling fellow few field fight figure fill final finally finger fire firm first fit five fix
flash flat flicker floor flow fly focus fold food foot force foreign forever forget forgotten form former forward four frame free
freeze frequent frequently fresh friend front full fully fun funny furniture future game gap garden gather general generally
gentle gift girl glad glass goal gold grab gradually grand green grey gray ground group grow growing growth guess guest guide habit
hair half hall hand handy hang happy hard hardly hat hate head health healthy hear heart heat heavy height hide high highly hint
hit hole home honest honestly hope horrible horse hot hotel hour house huge human hundred hungry hurry hurt ice icon ideal
identify ignore ill illustration image imagine immediately impact important impossible impression inch increase incredible
independent individual influence initial initially input inside install instant instead intend interest interesting internal
internet introduce invite involve island join joke journey judge jump keen key kick kill kitchen knee knock knowledge label lack
lady lake land language laptop large largely late lately laugh law lay layer lazy lead leader leaf lean learn left leg legal length
lesson letter level library lie life lift light limit link list listen literally live load local lock logo lonely loose lose loss
lost loud love lovely low lower luck lucky lunch machine mad magic main mainly maintain major make male man manage manager map mark
market marry mass massive match material matter maximum meal meanwhile measure meat media medium meet meeting member memory mention
menu mere merely mess message messy metal middle mid midnight mile milk mind minimum minute mirror miss mix mobile mode modern
moment money monitor month mood moon morning mother motor mountain mouse mouth movement movie multiple music mystery name narrow
nation national natural naturally nature near nearby nearest nearly neat necessarily necessary neck negative neighbour neighbor
nervous nest network neutral news newspaper nice night nine noise noisy normal normally north nose note notice obvious obviously
occasion occur odd offer office officer official oil opinion opponent opportunity opposite ordinary organize original originally
outdated outside overall overlap owner pace pack page paint pair paper paragraph parent park particular particularly partly partner
party pass passage past path patient pattern pause pay peace pen people percent perfect perfectly perform perhaps period permanent
person personal personally phone photo phrase pick picture pink pity plain plane planet plant plastic plate play pleasant please
pleasure plenty pocket poem polite political poor pop popular position positive possibly post potential pound power powerful
practical practice precise prepare presence present press pressure pretty prevent previous previously price pride principle print
printer private prize probably proceed process produce product production professional progress promise proof proper property
propose protect proud prove public pull pupil purchase pure purple purpose push puzzle quality quarter queen question quiet quietly
quit rain raise random range rapid rare rarely rate reach react reaction reader realistic reality realize receive recent recently
recognize recommend record red reduce refer reference reflect refuse regard region regular regularly reject relate relation
relationship relative relatively relax reliable rely remain remark remind remote rent repair reply report represent require rescue
research respect respond response responsible rest restaurant reveal rich ride ring rise risk river road rock role roof room root
rope rough roughly round row rub rubbish rude ruin rule rush sad safe safely safety sake sale salt sample sand satisfy scale scared
scene school science score screen scroll sea search season seat secret section secure security select sell sense sensible sentence
separate serious seriously serve service session settle seven severe shade shadow shake shape share sharp sheet shelf shift shine
ship shirt shock shoe shoot shop shore shortly shot shoulder shout shut sick side sight sign signal silence silent silly similar
simply sing sink sister sit site situation six size skill skin skip sky sleep slide slight slightly slip slow slowly smart smell
smile smoke smooth social society soft soil soldier solid solution solve somewhat son song sorry soul sound south space spare speak
special specific speech speed spell spend spirit spite split sport spot spread spring square stable staff stage stair stand
standard star stare state statement stay steady steal steel stick stock stone store storm story straight strange stranger stream
street strength stress stretch strict strike strong structure struggle stuck student study stupid style subject success successful
sudden suddenly suffer sugar suggest suggestion suit suitable summary summer sun supply suppose surface surprise surround survive
suspect sweet swim switch symbol sympathy tail talk tall target taste tax tea teach teacher tear technical technology television
temperature temporary ten tend term terrible thick thin third thought thousand throw ticket tidy tie tight till tiny tip tired title
tomorrow tone tongue tonight tool tooth top topic total totally tough tour town toy track trade traffic train training translate
travel treat tree trend trial trick trip trouble truck true trust truth tune twelve twenty twice twist typical typically typo ugly
unable uncle underneath unfortunately uniform union unit unite universe university unknown unless unlike unlikely unusual upper
upset upside urgent usage useful useless usual valley valuable variety various vary vast vehicle view village visible visit voice
volume vote wake walk wall warm warn waste watch water wave weak weapon wear weather web website wedding week weekend weekly weigh
weight weird welcome west wet wheel whenever wherever white wide width wife wild win wind window wine wing winner winter wire wise
wish wonder wonderful wood word worker world worry worse worst worth wrap writer yard year yearly yellow young zero zone
`;

/** Words about computers in any program, and the tools and formats that every team has. */
const COMPUTING = `
abort abstract accessor admin algorithm alias align animation annotation anonymous api append applet application architecture archive
argument array artifact ascii assert asset async attribute audio authenticate backend background backslash backup bash batch
benchmark binary bind bit boolean bounce boot bracket branch breakpoint browser buffer bundle button byte cache calendar callback
camel camera canvas caption cell center channel chart chat checkbox checkout chunk cli clipboard clone closure cluster cmake codebase
codec collapse collector comma command comment commit compat compatible compile compiler compress compute concat concurrent
conditional config configuration configure conflict console constant constructor container context controller cookie coordinate
core counter coverage cpu crash crash credit css csv cursor custom dark dash dashboard data database dataset datatype deadlock debug
debugger declare decode decorator default delegate delete demo dependency deploy deprecate deploy descending desktop destructor dev
developer device diagram dialog dictionary diff digit directory disable disk dispatch docker docs documentation domain dot double
download downstream drag driver dropdown dump duplicate dynamic editor element email embed emit emoji empty enable encode encoding
endpoint engine enter enum environment escape eval event exception excel exec execute exit expand export expression extension extract
facade factory fallback fetch filename filesystem filter firefox firewall flag float folder font footer foreach fork form formula
framework frontend fullscreen function fuzzy gateway generator generic getter gif git github gitlab glob global gpu gradient graph
graphic graphql grep grid gui guid hang haptic hardware hash hashmap header heap hexadecimal hidden highlight histogram history hook
host hosted hosting hover html http https hyperlink icon id ide identifier iframe immutable import indent index infinite inherit
initialize inject inline inner insert inspect install installer instance int integer integrate interface interpreter interval ios
ipad iphone iterate iterator java javascript job join jpeg json kernel keyboard keyword kotlin label lambda laptop latency layout lazy
legacy lexer library license lifetime lint linter linux literal loader localhost locale log logger login logo logout loop mac macos
macro makefile mapping markdown memory menu merge metadata method metric middleware migrate migration minify mock mode modal modifier
module monitor mouse mutable namespace native navigate navigation nested newline node npm nullable null numeric oauth object
observer offline offset online operator optimize option orm output overflow overload override overwrite package pagination panel
parallel param parameter parent parse parser partition password paste patch payload pdf performance permission photo ping pipeline
pixel placeholder platform plot plugin png pointer poll pool popup port portal postgres prefix preload preset preview primary private
procedure processor profile profiler progress prompt property protocol prototype provider proxy publish python query queue radio ram
react readme recursion recursive redirect refactor reference refresh regex register regression reload render renderer repo repository
reset resize resolve resource responsive restart restore retry revert rollback root route router runtime rust safari sandbox scanner
schedule scheduler schema scope screenshot scrollbar sdk search selector semicolon sequence serialize server setter settings shell
shortcut sidebar signature simulate simulation simulator singleton slider slot snapshot snippet socket sort spinner splash sql sqlite
ssh stack startup static stderr stdin stdout storage stored stream string stub studio stylesheet subclass submit subprocess suffix
svg swap swift sync synchronous syntax tab tablet tag template temporary terminal test testing text theme thread threshold thumbnail
timeout timer timestamp toggle token toolbar tooltip trace transaction transform transition transparent traverse tree trigger trim
tuple tutorial typescript ui undefined undo unicode unix unlock update upgrade upload upstream url username utf utility uuid validate
validation validator variable vector version vertical video visual vue warning watcher webpage webpack widget wifi window windows
wizard word workflow workspace wrapper xml yaml zip zoom
abfrage abfragen ablage absturz abgesturzt angezeigt anmelden anmeldung anwendung anzeigen app auflosung ausdruck ausfuhren ausgeben
auslosen auswahlen bedienung benutzen benutzer benutzt berechnen berechnung bibliothek bildschirm browser computer dashboard daten
datenbank dokument dokumentation drucken drucker dunkelmodus editor einbinden einlesen einrichten einstellung element entwickeln
entwickler entwicklung ersetzen export feldname format formular frontend funktionalitat gerat herunterladen hinweis hochladen
importieren index installieren interface kalender klasse klick klicken knopf kommentar kompilieren konfiguration kopieren link
listen maus menu notebook oberflache objekt parameter passwort pfad projekt protokoll rechner regular regularen reparieren
schaltflache schleife schnittstelle server sicherung skript software speichern spalte sperren starten statistik taste tastatur
tabelle umgebung variable verbindung verknupfung version verwaltung verzeichnis webseite zeichenkette zugriff
zwischenablage zwischenspeicher
`;

export const COMMON_WORDS: string = [WORKING, ENGLISH, COMPUTING].join(" ").trim();
