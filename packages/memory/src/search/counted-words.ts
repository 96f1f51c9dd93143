/**
 * Words that texts about programs have, whatever the programs are for: stems that at least 1 in 50 has of 2,462 manual pages,
 * of 1,238 package descriptions or of the comments in 1,599 modules; German ones that 1 in 10 of 248 message catalogues and manual
 * pages have; pairs of characters that are most frequent in 115 Chinese ones. Counted on a Debian system, without names of
 * people; what common-words.ts has is left out.
 */
export const COUNTED_WORDS: string = `
abbreviat abi abortsignal accent acceptabl access accessibl accord achiev acknowledg activat activiti acut ad adapt addition
additional additionalli addon addr adher administration administrator adopt advis affect against aix alias aliv allocat
allocation alongsid alpha alter alternat alternativ alternativeli altogether ambiguous ampersand android announc ansi anywher
apach apis applicabl appropriat approv arbitrari arch argc argv aris arraybuffer assertion assign assignment associat attack
attr audit auth authentication author authorization automat availabiliti await backport backspac backtick backward basis bat
becom bell bench besid beta bigint blog bool bootstrap bound brand bsd budget buf built builtin bump bypass callabl caller
cancel candidat canonical cap capabiliti capabl captur carriag cat caught caveat cedilla cent cert certificat changelog charset
checksum cherri childr chmod chos chown chrom chroot cipher circumflex circumstanc cjs clarifi clariti client coerc collaborator
combination commandlin commercial commonj commonli communicat communication communiti compact comparison compatibiliti
compilation completeli compli complianc compliant compos compression concatenat concept concret conduct conf configurabl confirm
conform conjunction consequential consequentli consistenci consistent consistentli consolidat const construct construction
consult consum consumer continuation contract contribut contribution contributor controll convenienc conversion copyright
coreutil correction correspond corrupt cpython createserver creation credential crt crypto ctx ctyp currenci customiz cve cwd
cycl daemon dataview datetim debian declaration decoder decorat decreas dedup def defin del deletion delimit delimiter demand
demonstrat deni denial deno denot dep dependent deprecation deriv description descriptor desir dest destination detach detect
detection development dgram diaeresis diagnostic dict differ differentli digest disallow discard disclaim disclaimer disconnect
discourag dist distinct distinguish distribut distribution distutil div division dns dollar dpkg draft drain dual dummi duplex
duplication dynamicalli earlier easier ecdh echo ecmascript ecosyst edu effectiv effectiveli efficient egg eliminat embed
embedder emploi enclos encounter encrypt encryption enforc english enhanc enquiri entiti enumerabl eof eol equivalent err eslint
esm establish etc evaluat eventemitter examin exc exceed exclamation exclud exclusiv exe executabl execution execv exemplari
existenc expansion expectation experimental expir explanation explicit explicitli expos expr ext extent external extraneous
faciliti factor failur falsi faster fatal fcntl februari feedback fifo fifth finaliz fingerprint fip fixer fixm fixtur flaki
flatt flush fmt foo formatter found foundation fprintf fragment freebsd freed friendli froz fulfill func functionaliti fund
furnish furthermor gain generation getattr gid gitignor glibc globalli gnu gpl gplv gracefulli grammar grant grav greater
guarante guaranteed guard guidanc gzip hack handler held helper helpful henc hex higher highest historical hoist holder honor
horizontal hostnam href icu identical identiti idl ietf img immediat impl implementation impli implicitli importerror importlib
impos improvement inc incidental inclusion incom incompatibl incomplet incorrect incorrectli indentation indicat indicator
indirect inet infer infiniti info inform infrastructur init initialization inod insensitiv inspection installation instanceof
instantiat instantiation instruct instruction insufficient integration integriti inter interact interaction interactiv
internalli interpret interpretation interrupt interruption intl intrinsic introduction invalid invocation invok ioctl ioj ipc
iprout ipv isinstanc iso isoc isolat iter iterabl iteration januari kib kwarg larger largest latest latin latter leak len lesser
liabiliti liabl lib libc libm libuv libxt lifecycl limitation lineno linker littl localli locat location lockfil logic logical
longer longest loopback lowest lpr ltd lts macron mail maintainer maintenanc malform malloc management mandatori manifest
manipulat manner manpag manual manualli marker master math max mechanism mem met meta mib micro microsecond millisecond mim min
minimal minus misc miscellaneous mismatch mjs mkdir mmap model modifi modification mount msg multi multilin multiplication
multithread mutat napi net netscap newer newest newli nexttick nfs nightli ninja non nonblock nonnegativ nonstandard nonzero
normaliz notabl notation notifi notification npmrc npx nul num numerical oauthlib obj observ obsolet obtain occurrenc older omit
openssl operat operation opt optimization optionalli org organization origin oserror osx otherwis outgo overhead overridd
overview overwritt ownership packet pam passwd pathnam pbkdf peer pend pep percentag perf permit perror persist persistent phas
physical pickl pid pilcrow pin pkg plus polici polyfill populat portabiliti portabl portion positional posix possibiliti
potentialli ppc pragma pre preced precedenc preciseli preferenc preproc preserv primarili printabl prior prioriti privileg proc
profit programmer prohibit promisifi promot propagat proposal protection proto pseudo pthread pub pypi querystr quotation rac
raw readabl readlin readstream reasonabl reboot rebuild recall recommendation recursiveli redistribut redistribution redundant
ref regardless regexp registri rejection releas relevant removal replacement reporter repr representation reproduc req
requirement res reserv resid resolution respectiv respectiveli responsibiliti restrict restriction resum retain retriev reus
revok rfc robust routin rsa rst runner scan scenario sched schem sec seed selection self selinux semver sensitiv sent sep
separateli september seri serialization settimeout setuid setuptool sha shim shorter shorthand shown shrinkwrap shutdown sig
sigaction significant significantli silentli similarli simplifi sizeof slash slic slower smaller sock solaris solidus span spawn
spec specifi specificalli specification specifier ssiz ssl stabiliti stal standardiz statistic status str strategi stricter
strictli strip strok strongli sub subdirectori subsection subsequent subsequentli substantial substitut subsyst succeed
successfulli sufficient sum sup supersed superuser suppress suspend susv symbolic symlink synchroniz synonym synopsis sys
syscall systemd tabl tabulation tap tar tarball tcp temp temporarili terminat termination texinfo theori therefor thrown tick
tild tls tmpdir toolkit traceback tracker traditional trailer transfer translation translationproject transmission transparentli
trap tsc tti ttl txt typedarrai typeerror udp uint umask unavailabl unawar uncaught uncaughtexception unchang underli understood
undocument unexpect unifi unindent uninstall uniqu unistd universal unlink unnecessari unneed unprivileg unref unsaf unset
unsign unspecifi unsupport unus uri urllib usabl usr util utillinux val valid valueerror var variant vcbuild vendor verbatim
verbos verifi verification virtual vulgar vulnerabiliti warranti wasi wasm wchar webassembli websocket whatwg wherea wideli wiki
workaround writabl writt www xlib xxx yield yml zlib
abbild abbruch abgebroch abgefragt abgelauf abgelehnt abgeschaltet abgeschloss abgeschnitt abhangigkeit abschalt abschliessend
absoluter achlich adress ahrend aktion aktiv aktivier aktiviert aktualisiert aktualisierung aktueller akzeptier akzeptiert
algorithmus allerd allgemein alten andernfall andert anderung anforderung anfuhrungszeich angab angefertigt angefordert angegeb
angegeben angegebener angehalt angehangt angelegt angenomm angepasst angewendet angig angigkeit angt anhalt anhand anhang
anmerkung anonym ansonst anstatt anstell anweisung anwend anzugeb anzuzeig apt arbeitsverzeichnis architektur arpaket atzlich
aufgebraucht aufgef aufgefuhrt aufgelistet aufgelost aufgeruf aufgetret aufgezeichnet aufgrund aufheb auflist auflos aufruf
auftret ausf ausfuhrbar ausfuhrlich ausfuhrung ausgabedatei ausgabeformat ausgef ausgefuhrt ausgegeb ausgelass ausgerichtet
ausgeschaltet ausgeschloss ausgewahlt ausgewertet ausles ausnahm ausreichend ausschalt ausschliesslich ausser ausserhalb auswert
auswertung auszufuhr auszuwahl authentifizierung autor basiert bearbeit bearbeitet bearbeitung bedeutung bedingt beendet befehl
befehlszeil befehlszeilenoption befind befindet beginnt begonn begrenzt behandel behandelt behandlung beibehalt beispielsweis
bekannt beliebig benannt benenn benotig benotigt benutzerdefiniert benutzerkennung benutzerkont benutzernam benutzung berechnet
berechtigung bereitgestellt bericht beschadigt beschrank beschrankt beschreibung beschrieb besitzer bestatig bestehend besteht
bestimm betracht betrachtet betreuer betriebssyst bevor bevorzugt bezeichner bezeichnung bezieh bezieht binar binardatei
blaettermann blattermann blockgross bzw checkpoint crc darstellung dateideskriptor dateiend dateiformat dateigross dateinam
dateisyst dateityp datenbankserver datendatei datensatz datenstrom datenverzeichnis datum deaktivier deaktiviert debianl defekt
definiert deklariert dekodier dekomprimier derzeit deskriptor detailliert dienst dienstprogramm direkt doppelpunkt doppelt
doppelter druckbar durchf durchfuhr durchgef durchgefuhrt durchsucht dynamisch ebenfall ebenso echt effektiv eigenschaft
eigentumer eindeutig eingabedatei eingabetast eingebaut eingebettet eingefugt eingegeben eingerichtet eingeschaltet eingestellt
einhangepunkt einheit einschalt einschliess einschliesslich einschrankung einzeln einzig elter empfang empfohl empfohlen endet
englisch entdeckt entfernt enthalt entpackt entscheidung entsperr entspricht ereignis erfolgreich erfolgt erforderlich erfordert
ergebniss erh erkannt ermittel ermittelt ermoglich erneut erreicht erscheint erschopft ersetzt ersetzung erstellt erstellung
erster erwartet erweitert erweiterung erzeugt erzeugung erzwing erzwung eventuell exakt existenz existier existierend
existierender existiert explizit exportier exportiert extern extrahier falscher farbmodus fehlend fehlender fehlerbericht
fehlercod fehlerhaft fehlerhafter fehlermeldung fehlgeschlag fehlgeschlagen felder festgelegt festgestellt festleg festplatt
folgend folgt formatier formatiert fortfahr fortgesetzt fortsetz fstat fsync fug fuhrend fuhrt funktioniert gab garanti geandert
gebaut gedacht gedruckt geeignet gefolgt gefund gefunden gegeb gegeben gegenseitig gegenwartig geholt gehort gelad geles
geloscht gemacht gemass gemischt genannt generier generiert genugend geoffnet gepackt gepruft german gescheitert geschloss
geschlossen geschrieb gesendet gesetz gesetzt gesichert gespeichert gesperrt gestartet gestoppt gesucht getrennt gew gewahlt
gewartet gewechselt gewunscht gnom gro gruppennam gultiger haftung handbuchseit hangt haupt heruntergefahr hexadezimal hinzu
hinzugef hinzugefugt homepag identifiziert identisch ignorier ignoriert implementiert implementierung implizit indem
initialisier initialisiert initialisierung inkompatibel inkompatibl inkonsistent innerhalb installiert interaktiv intern
internationalisierung interner interpretier interpretiert intervall jedoch jeweil kategori kennung kindprozess klammer
kleinschreibung kodiert kodierung kombination kombiniert kommando kommandozeil kommandozeilenargument kommata kompatibel
kompatibilitat kompatibl komplett komponent komprimier komprimiert komprimierung konfigurationsdatei konfiguriert konflikt
konstant kontext konvertier konvertiert konvertierung kopfzeil kopi kopierbedingung kopiert korrekt kurzer laufend lautet leerer
leerraum legt leick les lesbar lesefehler letzter liefert liest listet lizenz lld llu logdatei logisch lokal lokaler lokaliz
magisch manuell markiert markierung maximal mehrdeutig mehrer mehrfach metadat mindest mitgli modifikator modus moglicherweis
momentan mull muster nachfolgend nachfrag nachschlag namensraum netzwerk neuest nie niemal nls nochmal notwendig numerisch
nummeriert nutzer oberst ocht offentlich oglich oid otig paar paket paketnam passend passender passworter pfadnam pgdata pgsql
plattform plural postgresql prafix primar prioritat privilegi problem programmdatei programmnam programmversion prozess prufsumm
prufung puffer quell quellpaket rechnernam referenz referenziert registrier registriert regularer rekursiv reserviert ressourc
revision roh roland roll rom ruckgabewert ruckwart sauber schalter schaltet scheint schliessend schlug schlusselwort
schlusselworter schragstrich schreibfehler schreibgeschutzt schutz schwach segmentgross sek sektion sekund selb sequenz setzt
shadowutil sicherheit sicherheitskontext sicherungsdatei sieh signiert sitzung sortierreihenfolg sortiert sortierung soweit
sowohl speicherort sperrdatei speziell spezifisch spezifiziert sse ssen standardausgab standardeingab standardmassig
standardwert startet stattdess statuscod steuer steuerdatei stil strg struktur symbolisch symbolischer synchronisier
synchronisiert syntaxfehler system systemfehler systemverwaltung tabulator tagen teilweis temporar temporarer thema tipp
transaktion translator trat treffer trenner trennzeich tupel typen uberein ubereinstimm ubereinstimmung ubergeb ubergeordnet
uberlauf ubernehm uberpr uberpruf uberpruft uberprufung uberschreib uberschrieb uberschritt ubersetzt ubersetzung ubersicht
uberspring ubersprung ublich uck uckgabewert uft ufung ugbar ugen uhren ultig umbenannt umgebungsvariabl umgekehrt umgeleitet
umgewandelt umkehr umschalt umwandel umwandlung unabhangig unbekannt unbekannter undefiniert unerlaubt unerwartet unerwarteter
ungerad ungultig ungultiger unpassend unsicher unterbroch unterdruck unterhalb unterprozess unterscheid unterscheidet
unterschied unterschiedlich unterstutzt unterstutzter unterstutzung unterverzeichnis unvollstandig unzulassig ursprunglich
usselt usw utzlich utzung variablennam ver veraltet verander verandert verarbeit verarbeitet verarbeitung verbund verf verfolg
verfugbar verfugung verhinder verknupft verlangt verlor verschachtelt verschieden verschl verschlusselt versionsinformation
versionsnummer versucht vertrauenswurdig verursacht verwandt verweigert verweis verwendbar verwendend verwendet verwendung
verwerf verworf verzeichnisnam verzeichniss verzogerung vielfach virtuell vorangehend vorangestellt vorbereit vorbereitet
vordergrund voreinstellung vorgab vorgabewert vorgang vorgegeben vorhand vorhanden vorherig vorheriger vorubergehend vorzeitig
wahrscheinlich wal warnung weder weis weiterer weitergeb werkzeug widerspruchlich wiederhergestellt wiederherstell
wiederherstellung wiederhol wiederholt wobei wurzel zahler zeichenklass zeichensatz zeiger zeilenend zeilennummer zeitstempel
zeituberschreitung zertifikat zieldatei zielverzeichnis ziffer zueinander zuerst zugegriff zugehorig zugeordnet zugewies zugreif
zugriffsrecht zulass zulassig zuordnung zuruckgeb zuruckgegeb zurucksetz zus zusammenfassung zusammengefuhrt zusammengesetzt
zusammenhangend zusatzlich zusatzlicher zuweis zuweisung zweierpotenz
一个 不允 不到 不匹 不可 不同 不存 不支 不能 之前 令行 件中 件名 任何 作为 使用 允许 入文 兼容 内存 内部 写入 出现 出错 分隔 创建 初始 务器 助信 包含 匹配 参见 可以 可用 可能 同时 启用 命令 多个 如果 安全 完成 定义
密码 已经 帮助 引用 强制 必须 忽略 或者 所有 打印 执行 扩展 找不 找到 报告 指定 控制 描述 提供 搜索 操作 无效 无法 更多 最大 有效 服务 未知 本信 本地 权限 查找 标准 格式 模式 正确 没有 法创 法打 法读 消息 版本 环境
用于 用法 目录 目标 相同 确定 禁用 程序 符串 符号 管理 索引 缺少 置文 而不 范围 获取 获得 解析 警告 记录 访问 识别 详细 请求 读取 调用 路径 输入 输出 这个 进制 进程 进行 连接 退出 选项 配置 链接 限制 需要
`;
