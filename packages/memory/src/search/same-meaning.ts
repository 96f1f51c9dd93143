/**
 * Words that software teams use for the same thing: short and long forms, near synonyms, and what English and German call it.
 * Only what is common to the trade; a team's own words are in its topics. One group a line; a word may be in several groups.
 * Each is searched by the same tokenizer as the topics, so that a group is found by any form of its words.
 */
const GROUPS_TEXT = `
database databases db datenbank
postgres postgresql pg psql
kubernetes k8s
javascript js
typescript ts
python py
repository repo repositorium
configuration config cfg settings setting konfiguration einstellung einstellungen
environment env umgebung
production prod live produktion produktiv
staging stage preprod
development dev entwicklung
deploy deployment release rollout ship ausrollen ausrollung bereitstellung veroffentlichen
rollback revert zuruckrollen
authentication auth login signin anmeldung anmelden einloggen
authorization permission permissions berechtigung berechtigungen rechte zugriff
password passwort kennwort
credential credentials secret secrets zugangsdaten
encryption encrypt verschlusselung verschlusseln
documentation docs doc dokumentation
pullrequest pr mergerequest mr
review codereview begutachtung
commit commits
branch zweig ast
merge zusammenfuhren
test tests testing
unittest unittests
e2e endtoend
flaky unstable instabil wackelig sporadisch intermittent
bug defect
error exception failure fehler ausnahme
outage incident downtime ausfall vorfall storung
postmortem retrospective nachbetrachtung
alert alarm alerting warnung
monitoring observability uberwachung
dashboard board
log logs logging protokoll protokolle
metric metrics kennzahl kennzahlen
performance speed latency geschwindigkeit leistung latenz
slow langsam lahm
fast schnell quick
memory ram speicher arbeitsspeicher
disk storage festplatte speicherplatz
cache caching zwischenspeicher
queue warteschlange
job task aufgabe auftrag
schedule scheduled cron cronjob zeitplan
backup backups sicherung datensicherung
restore wiederherstellung wiederherstellen
migration migrate migrieren umzug
schema schemata
table tabelle tabellen
column spalte spalten
query abfrage abfragen
index indizes
transaction transaktion
lock locking sperre
customer client kunde kunden kundin
user users benutzer nutzer anwender
account konto accounts konten
payment payments zahlung zahlungen bezahlung
invoice invoices bill rechnung rechnungen
refund refunds ruckerstattung erstattung
order orders bestellung bestellungen
price pricing preis preise
discount rabatt coupon voucher gutschein
subscription abo abonnement
currency wahrung
tax vat steuer mehrwertsteuer umsatzsteuer
shipping shipment delivery versand lieferung
inventory stock lager bestand
warehouse lager
email mail emails
notification push benachrichtigung
message nachricht
phone telefon mobile handy
image picture photo bild bilder foto
video film
download herunterladen
upload hochladen
import importieren einlesen
export exportieren
search suche suchen
translation i18n localization l10n ubersetzung
language sprache
timezone zeitzone
date datum
holiday vacation leave urlaub ferien feiertag
deadline duedate frist termin
meeting call sync besprechung termin
standup daily
oncall pager bereitschaft rufbereitschaft
team mannschaft gruppe
manager lead boss chef leitung leiter
colleague coworker kollege kollegin
budget costs cost kosten
contract vertrag
legal law recht rechtlich
privacy gdpr dsgvo datenschutz
security sicherheit
vulnerability cve schwachstelle lucke
license lizenz
dependency dependencies library package abhangigkeit bibliothek paket
upgrade bump aktualisierung
version versions fassung
compile build kompilieren
pipeline ci continuousintegration workflow
container docker
server backend
frontend ui oberflache
button schaltflache knopf
form formular
page seite
style styling css stil
color colour farbe
font schriftart schrift
dark darkmode dunkel
accessibility a11y barrierefreiheit barrierefrei
endpoint route api schnittstelle
webhook callback
timeout timeouts zeituberschreitung
retry retries wiederholung wiederholen
ratelimit throttle throttling quota begrenzung
network netzwerk
certificate cert tls ssl zertifikat
domain dns
port ports
hardware gerat device
sensor sensoren fuhler
firmware embedded
robot roboter bot
model modell
training trainieren train
dataset datensatz data daten
analytics analysis auswertung analyze
report bericht berichte auswertung
spreadsheet excel sheet tabelle
experiment abtest
featureflag featureflags toggle flag schalter
naming names benennung bezeichner namen
convention conventions guideline konvention richtlinie
comment comments kommentar kommentare
indent indentation tabs spaces einruckung
format formatter formatting prettier formatierung
lint linter linting
answer reply response antwort antworten
short brief concise terse kurz knapp
explain explanation erklarung erklaren
prefer preference preferences likes bevorzugt vorliebe
forbidden banned prohibited verboten
delete remove removal loschen entfernen
archive archived archiv archivieren
draft entwurf
design entwurf gestaltung
architecture architektur
decision decided entscheidung entschieden
ticket issue jira linear
wiki confluence notion
slack channel chat kanal
demo presentation prasentation vorfuhrung
launch golive start
freeze codefreeze sperrfrist
hotfix patch
approval approve signoff freigabe genehmigung
audit auditor prufung
compliance regulatory vorschrift
hospital clinic krankenhaus klinik praxis
patient patients patienten patientin
appointment booking termin termine buchung
doctor physician arzt arztin
player players spieler
level stage
map karte
train railway bahn zug
station stop haltestelle bahnhof
begin start launch beginn anfang anfangen starten
stop end halt finish quit ende beenden anhalten
restart reboot neustart neustarten
pause suspend sleep standby resume hibernate anhalten
increase raise grow more erhohen steigern
decrease reduce lower shrink less verringern senken reduzieren
maximum max most limit upper highest cap hochstens maximal grenze obergrenze
minimum min least lower lowest mindestens minimal untergrenze
allowed permitted may permission erlaubt darf durfen zulassig
forbidden prohibited refused rejected declined banned verboten untersagt abgelehnt
must required mandatory obligatory pflicht muss notwendig erforderlich
optional voluntary freiwillig
change modify edit alter tweak adjust anderung andern anpassen bearbeiten
create make add new build erstellen anlegen hinzufugen
replace swap substitute exchange ersetzen austauschen
obsolete deprecated outdated old legacy removed dropped discontinued veraltet abgeschaltet
postpone postponed delay delayed later deferred verschoben verspatet verspatung
early beforehand ahead advance vorher fruher
duplicate duplicated twice double again doppelt duplikat
wrong incorrect bad broken falsch kaputt
correct right proper valid richtig korrekt gultig
check verify validate validation verification prufen uberprufen prufung
compare comparison difference diff vergleich vergleichen unterschied
split divide shard partition aufteilen trennen
join connect combine link verbinden verbindung
connect connection disconnect link verbindung
store save keep persist stored kept retention speichern aufbewahren aufbewahrung
recording record capture video bag aufnahme aufzeichnung
forget erase delete deletion purge forgotten loschung vergessen
hide hidden mask masked conceal verbergen maskieren
show display visible appear anzeigen anzeige sichtbar
print printout printed printer drucken ausdruck
send sent submit post deliver senden schicken verschicken versand
receive get incoming arrive empfangen bekommen erhalten
read reading reader lesen einlesen
write writing written schreiben
load loading laden
calculate computation compute calculated count computed berechnen berechnung
recompute backfill recalculate rebuild reprocess neuberechnen
estimate estimation forecast prediction schatzung prognose
measure measurement measured messung messen
improve improvement optimise optimize optimization verbessern optimieren
fail failed failure decline declined unsuccessful scheitern fehlschlagen fehlgeschlagen
succeed success successful passed erfolg erfolgreich
hang stuck freeze frozen stall block deadlock hangt blockiert
crash crashed crashes fatal absturz absturzen
leak leaking leaked leck
empty blank missing null leer fehlend
full complete whole entire voll vollstandig
fast quick rapid speed velocity geschwindigkeit tempo
duration length time long dauer lange
interval frequency every period rate intervall frequenz
daily nightly everyday taglich jeden
weekly week woche wochentlich
monthly month monat monatlich
yearly annual year jahr jahrlich
quarter quarterly quartal
morning morgens vormittag
afternoon nachmittag
evening night abend nachts nacht
weekend saturday sunday wochenende samstag sonntag
monday montag
tuesday dienstag
wednesday mittwoch
thursday donnerstag
friday freitag
working workday business werktag arbeitstag
hours opening offnungszeiten sprechzeiten
clock time uhr uhrzeit
daylight dst summertime sommerzeit zeitumstellung
expire expired expiry expiration validity valid ablaufen gultigkeit
renew renewal rotate rotation exchange erneuern
contact reach ask person ansprechpartner ansprechpartnerin kontakt erreichbar erreichen
responsible owner owns charge maintainer zustandig verantwortlich
deputy substitute standin replacement vertretung stellvertreter
newcomer new onboarding joined junior neuling neu einarbeitung
expert senior experienced erfahren
feedback opinion comments ruckmeldung meinung
review reviewer approve approval freigabe absegnen
announce announcement notify inform tell ankundigung ankundigen mitteilen
rule policy agreement guideline regel regelung vereinbarung
define definition meaning counts bedeutet definition
reason why cause grund ursache warum
purpose goal aim ziel zweck
example sample beispiel
summary overview recap zusammenfassung uberblick
title heading caption headline titel uberschrift
wording phrase words text formulation formulierung wortlaut
spelling typo orthography rechtschreibung
symbol emoji icon glyph zeichen
chart graph diagram plot figure diagramm grafik
drawing sketch draft zeichnung skizze
table spreadsheet grid tabelle
number figure digit count amount zahl nummer anzahl
percent percentage ratio share prozent anteil
round rounding rounded runden rundung
unit units inch inches metric metre meter einheit einheiten
weight mass heavy gewicht
height width size dimension hohe breite grosse
temperature cold freezer heat freezing kalt temperatur kuhl
color colour palette hue farbe farben
small tiny little klein
large big huge gross
cheap expensive price costs kosten teuer billig
money cash amount geld betrag
cent cents minor penny
yen jpy japan japanese tokyo
euro eur euros
dollar usd dollars
pound gbp sterling
bank iban transfer wire banking uberweisung konto
card visa mastercard credit debit pan karte kreditkarte
charge debit bill billed collect abbuchen belasten
chargeback dispute reversal contested ruckbuchung
payout settlement disbursement auszahlung
merchant seller vendor shop handler verkaufer
buyer shopper purchaser kaufer
cart basket warenkorb
checkout purchase kasse kauf
product article item goods artikel produkt ware
return returns returned send back ruckgabe retoure
fee fees commission surcharge gebuhr
salary payroll wage gehalt lohn
revenue turnover sales income umsatz
profit margin gewinn marge
donation sponsor sponsorship spende
supplier provider vendor lieferant anbieter hersteller
parcel package courier tracking paket sendung
address street city adresse strasse
country region land
office building buro gebaude
factory plant fabrik werk
forklift truck vehicle car stapler fahrzeug wagen
drive driving wheel motor fahren antrieb
lidar laser scanner laserscanner
camera lens depth image kamera
battery charge charging accu akku batterie ladestand laden
voltage power electricity current spannung strom
cable wiring harness wire kabel verdrahtung
emergency estop urgent notfall ernstfall notaus
safety safe hazard sicherheit
speed limit velocity tempolimit
collision crash accident kollision unfall
pallet rack shelf aisle palette regal gang
wireless wifi wlan radio roaming
signal link reception empfang
bus can canbus fieldbus
board pcb circuit mainboard platine
bench rig testbench hil prufstand
spare part parts ersatzteil ersatzteile
calibration calibrate kalibrierung kalibrieren
map chart location position karte standort
route routing path way journey trip strecke verbindung fahrt
transfer interchange change umsteigen umstieg
departure arrival timetable schedule fahrplan abfahrt ankunft
delay late disruption verspatung storung
tram train subway metro strassenbahn bahn zug
bus coach autobus
ticket fare tariff fahrkarte fahrschein tarif
passenger rider traveller fahrgast
pedestrian walk walking foot person people human fussganger gehen
border boundary edge grenze rand
area zone region bereich gebiet
therapy treatment behandlung therapie
medicine medication drug medikament medikation arznei
diagnosis finding result befund diagnose
laboratory lab labor
vaccination vaccine impfung impfen
insurance versicherung krankenkasse
nurse nursing pflege
xray radiology mri ct mrt rontgen radiologie
questionnaire survey form fragebogen anamnese umfrage
cancel cancellation cancelled storno stornieren absage absagen abbrechen
waiting waitlist queue warteliste
reminder remind erinnerung erinnern
signature sign signed signing unterschrift signatur signieren
scan barcode qr aztec scannen strichcode
weapon sword damage attack waffe schaden
enemy opponent rival gegner
quest mission task aufgabe
match matchmaking lobby opponent
loot drop odds chance probability gacha wahrscheinlichkeit
skin cosmetic looks outfit aussehen
purse wallet wallets geldborse
sound audio music noise ton musik
voice dialogue speech actor sprache dialog
texture material shader graphics grafik
frame fps framerate millisecond bildrate
render rendering draw redraw repaint recompose zeichnen
animation motion shake bewegung
console playstation xbox switch konsole
controller gamepad joystick steuerung
save savegame progress spielstand
festival fair exhibition conference messe konferenz
talk presentation slides vortrag folien
certification certify cert submission zertifizierung
publisher studio verlag
beta alpha preview pilot trial probe
playtest usability tester testers
cheat fraud abuse scam betrug
moderation report filter profanity
robotics automation automatisierung
machine mac host rechner maschine
gpu cuda graphics grafikkarte
cpu processor prozessor
thread threads concurrency parallel concurrent nebenlaufig
async asynchronous await asynchron
allocation allocate heap malloc garbage gc
loop iteration schleife
pointer reference unsafe zeiger
parser parse parsing grammar
regex regexp pattern ausdruck
string text zeichenkette
integer int long number ganzzahl
float double decimal floating gleitkomma
timestamp datetime time zeitstempel
identifier id key kennung schlussel
hash digest checksum prufsumme
folder directory path ordner verzeichnis pfad
file files datei dateien
symlink symlinks symbolic link verknupfung
bucket s3 objectstorage blob
partition shard sharding
replica replication follower
snapshot snapshots dump abbild
stream streaming kafka event events
event events ereignis
producer publisher emitter
consumer subscriber listener
idempotent idempotency exactlyonce deduplication
batch bulk chunk stapel
pipeline dag workflow orchestration airflow dagster
notebook jupyter ipynb
dataframe pandas polars csv
model ml prediction classifier scoring
feature features signal merkmal
label annotation labelling annotate
embedding embeddings vector vectors vektor
experiment abtest variant test versuch
marketing campaign growth attribution werbung
click clicks klick
conversion funnel konversion
churn retention abwanderung
visit session visits besuch sitzung
active engaged aktiv
telemetry analytics tracking phonehome statistics
consent optin permission einwilligung zustimmung
personal pii sensitive private personenbezogen
lawyer legal counsel anwalt
authority agency office amt behorde
audit inspection inspector kontrolle kontrolleur
blind disabled accessibility screenreader voiceover blind
screenreader voiceover talkback nvda
keyboard shortcut tastatur
touch touchscreen tap tippen
watch smartwatch wearable uhr
widget tile homescreen kachel
appstore store playstore apple google
certificate provisioning signing
simulator emulator simulation
snapshot screenshot golden
storyboard uikit swiftui
recompose recomposition compose
viewmodel livedata flow
bundle asset assets package paket
minify size weight bloat grosse
binary executable artifact programm
flag option argument parameter switch schalter
exit exitcode status return ruckgabewert
output stdout print ausgabe
input stdin eingabe
terminal shell console cli kommandozeile
editor ide vscode vim
languageserver lsp intellisense
plugin extension addon erweiterung
wasm webassembly
crate dependency npm gem
maintainer contributor volunteer mitwirkender
opensource oss foss
changelog releasenotes whatsnew news anderungen
semver breaking compatibility compatible kompatibel
toolchain compiler msrv
benchmark perf hyperfine measure
startup boot launch start anlauf
fuzz fuzzing fuzzer
mirror cdn edge fastly gateway
loadtest stresstest peak load lasttest lastspitze spitze
scale scaling autoscale skalieren skalierung
instance node machine vm knoten
region datacenter datacentre rechenzentrum hosting
terraform iac infrastructure infrastruktur
budget spend spending bill ausgaben
warehouse snowflake bigquery redshift
lookerstudio looker tableau powerbi
oauth sso okta login
token jwt session
role roles rbac access rolle
vault keepass 1password passwordmanager
hsm yubikey hardwarekey
attack attacker exploit angriff
forge forged fake tampered gefalscht
spam junk werbung
rate ratelimit limit throttle
overload overloaded peak spike uberlast
oversell oversold uberverkauf
flashsale seckill
livestream streaming live
member membership loyalty vip mitglied
points bonus reward punkte
sms shortmessage text
verification code otp verifizierung
miniprogram wechat
customerservice support helpdesk hotline kundendienst
chatbot assistant bot assistent
invoice billing einvoice erechnung rechnung
counter sequence numbering nummernkreis
gapless consecutive continuous luckenlos fortlaufend
proration prorate prorated partial anteilig
subscription renewal recurring plan abo
dunning overdue unpaid mahnung
latency delay milliseconds ms response antwortzeit
cutoff closing deadline annahmeschluss
holiday closed feiertag geschlossen
maintenance window wartung wartungsfenster
handover rotation ubergabe
page paged pager alert alarm
noise noisy spam
runbook playbook handbook anleitung handbuch
procedure process steps ablauf vorgehen
checklist todo steps checkliste
milestone roadmap plan meilenstein
estimate points days aufwand schatzung
`;

export const SAME_MEANING: readonly string[] = GROUPS_TEXT.trim().split("\n");
