/**
 * Words that software teams use for the same thing: short and long forms, near synonyms, and what English, German and Chinese
 * call it. Only what is common to the trade; a team's own words are in its topics. One group a line; a word may be in
 * several groups. What is written apart (`pull request`) stands here as one word.
 */
const GROUPS_TEXT = `
database databases db datenbank 数据库
postgres postgresql pg psql
kubernetes k8s
javascript js
typescript ts
python py
repository repo repositorium 仓库 代码库
configuration config cfg settings setting konfiguration einstellung einstellungen 配置 设置
environment env umgebung 环境
production prod live produktion produktiv 生产 线上
staging stage preprod 预发
development dev entwicklung 开发
deploy deployment release rollout ship ausrollen ausrollung bereitstellung veroffentlichen 部署 发布 上线
rollback revert zuruckrollen 回滚
authentication auth login signin anmeldung anmelden einloggen 登录 认证
authorization permission permissions berechtigung berechtigungen rechte zugriff 权限 授权
password passwort kennwort 密码
credential credentials secret secrets zugangsdaten 密钥 凭证
encryption encrypt verschlusselung verschlusseln 加密
documentation docs doc dokumentation 文档
pullrequest pr mergerequest mr
review codereview begutachtung 评审 审查
commit commits 提交
branch zweig ast 分支
merge zusammenfuhren 合并
test tests testing 测试
unittest unittests 单元测试
e2e endtoend 端到端
flaky unstable instabil wackelig sporadisch intermittent 不稳定
bug defect 缺陷
error exception failure fehler ausnahme 错误 异常
outage incident downtime ausfall vorfall storung 故障 事故
postmortem retrospective nachbetrachtung 复盘
alert alarm alerting warnung 告警 报警
monitoring observability uberwachung 监控
dashboard board 看板 仪表盘
log logs logging protokoll protokolle 日志
metric metrics kennzahl kennzahlen 指标
performance speed latency geschwindigkeit leistung latenz 性能 延迟
slow langsam lahm 慢
fast schnell quick
memory ram speicher arbeitsspeicher 内存
disk storage festplatte speicherplatz 磁盘 存储
cache caching zwischenspeicher 缓存
queue warteschlange 队列
job task aufgabe auftrag 任务
schedule scheduled cron cronjob zeitplan 定时
backup backups sicherung datensicherung 备份
restore wiederherstellung wiederherstellen 恢复
migration migrate migrieren umzug 迁移
schema schemata 表结构
table tabelle tabellen 表
column spalte spalten 列 字段
query abfrage abfragen 查询
index indizes 索引
transaction transaktion 事务
lock locking sperre 锁
customer client kunde kunden kundin 客户
user users benutzer nutzer anwender 用户
account konto accounts konten 账号 账户
payment payments zahlung zahlungen bezahlung 支付 付款
invoice invoices bill rechnung rechnungen 发票 账单
refund refunds ruckerstattung erstattung 退款
order orders bestellung bestellungen 订单
price pricing preis preise 价格
discount rabatt coupon voucher gutschein 优惠券 折扣
subscription abo abonnement 订阅
currency wahrung 货币 币种
tax vat steuer mehrwertsteuer umsatzsteuer 税
shipping shipment delivery versand lieferung 物流 配送 发货
inventory stock lager bestand 库存
warehouse lager 仓
email mail emails 邮件
notification push benachrichtigung 通知 推送
message nachricht 消息
phone telefon mobile handy 手机
image picture photo bild bilder foto 图片
video film 视频
download herunterladen 下载
upload hochladen 上传
import importieren einlesen 导入
export exportieren 导出
search suche suchen 搜索
translation i18n localization l10n ubersetzung 翻译 国际化
language sprache 语言
timezone zeitzone 时区
date datum 日期
holiday vacation leave urlaub ferien feiertag 假期 休假
deadline duedate frist termin 截止
meeting call sync besprechung termin 会议
standup daily 站会
oncall pager bereitschaft rufbereitschaft 值班
team mannschaft gruppe 团队
manager lead boss chef leitung leiter 经理 负责人
colleague coworker kollege kollegin 同事
budget costs cost kosten 预算 成本
contract vertrag 合同
legal law recht rechtlich 法务
privacy gdpr dsgvo datenschutz 隐私
security sicherheit 安全
vulnerability cve schwachstelle lucke 漏洞
license lizenz 许可证
dependency dependencies library package abhangigkeit bibliothek paket 依赖
upgrade bump aktualisierung 升级
version versions fassung 版本
compile build kompilieren 编译 构建
pipeline ci continuousintegration workflow 流水线
container docker 容器
server backend 服务器 后端
frontend ui oberflache 前端 界面
button schaltflache knopf 按钮
form formular 表单
page seite 页面
style styling css stil 样式
color colour farbe 颜色
font schriftart schrift 字体
dark darkmode dunkel 深色
accessibility a11y barrierefreiheit barrierefrei 无障碍
browser 浏览器
endpoint route api schnittstelle 接口
webhook callback 回调
timeout timeouts zeituberschreitung 超时
retry retries wiederholung wiederholen 重试
ratelimit throttle throttling quota begrenzung 限流
network netzwerk 网络
certificate cert tls ssl zertifikat 证书
domain dns 域名
port ports 端口
hardware gerat device 设备
sensor sensoren fuhler 传感器
firmware embedded 固件
robot roboter bot 机器人
model modell 模型
training trainieren train 训练
dataset datensatz data daten 数据 数据集
analytics analysis auswertung analyse 分析
report bericht berichte auswertung 报表 报告
spreadsheet excel sheet tabelle 表格
experiment abtest 实验
featureflag featureflags toggle flag schalter 开关
naming names benennung bezeichner namen 命名
convention conventions guideline konvention richtlinie 规范
comment comments kommentar kommentare 注释 评论
indent indentation tabs spaces einruckung 缩进
format formatter formatting prettier formatierung 格式化
lint linter linting
answer reply response antwort antworten 回复 回答
short brief concise terse kurz knapp 简短 简洁
explain explanation erklarung erklaren 解释
prefer preference preferences likes bevorzugt vorliebe 偏好 喜欢
forbidden banned prohibited verboten 禁止
delete remove removal loschen entfernen 删除
archive archived archiv archivieren 归档
draft entwurf 草稿
design entwurf gestaltung 设计
architecture architektur 架构
decision decided entscheidung entschieden 决定
ticket issue jira linear 工单
wiki confluence notion 知识库
slack channel chat kanal 频道
demo presentation prasentation vorfuhrung 演示
launch golive start 上线
freeze codefreeze sperrfrist 冻结 封版
hotfix patch 补丁
approval approve signoff freigabe genehmigung 审批
audit auditor prufung 审计
compliance regulatory vorschrift 合规
hospital clinic krankenhaus klinik praxis 医院
patient patients patienten patientin 患者
appointment booking termin termine buchung 预约
doctor physician arzt arztin 医生
player players spieler 玩家
level stage 关卡
map karte 地图
train railway bahn zug 列车
station stop haltestelle bahnhof 车站
begin start launch beginn anfang anfangen starten 开始 启动
stop end halt finish quit ende beenden anhalten 停止 结束
restart reboot neustart neustarten 重启
pause suspend sleep standby resume hibernate anhalten 暂停
increase raise grow more erhohen steigern 增加 提高
decrease reduce lower shrink less verringern senken reduzieren 减少 降低
maximum max most limit upper highest cap hochstens maximal grenze obergrenze 最多 最大 上限 限制
minimum min least lower lowest mindestens minimal untergrenze 最少 最小 下限
allowed permitted may permission erlaubt darf durfen zulassig 允许
forbidden prohibited refused rejected declined banned verboten untersagt abgelehnt 禁止 拒绝
must required mandatory obligatory pflicht muss notwendig erforderlich 必须 必填
optional voluntary freiwillig 可选
change modify edit alter tweak adjust anderung andern anpassen bearbeiten 修改 更改 变更
create make add new build erstellen anlegen hinzufugen 创建 新建 添加
replace swap substitute exchange ersetzen austauschen 替换 更换
obsolete deprecated outdated old legacy removed dropped discontinued veraltet abgeschaltet 过时 废弃 下线
postpone postponed delay delayed later deferred verschoben verspatet verspatung 推迟 延迟
early beforehand ahead advance vorher fruher 提前
duplicate duplicated twice double again doppelt duplikat 重复
wrong incorrect bad broken falsch kaputt 错误
correct right proper valid richtig korrekt gultig 正确
check verify validate validation verification prufen uberprufen prufung 检查 校验 验证
compare comparison difference diff vergleich vergleichen unterschied 比较 对比
split divide shard partition aufteilen trennen 拆分 分片 分库
join connect combine link verbinden verbindung 连接
connect connection disconnect link verbindung 连接 断开
store save keep persist stored kept retention speichern aufbewahren aufbewahrung 保存 保留
recording record capture video bag aufnahme aufzeichnung 录制 记录
forget erase delete deletion purge forgotten loschung vergessen 清除 删除
hide hidden mask masked conceal verbergen maskieren 隐藏 脱敏
show display visible appear anzeigen anzeige sichtbar 显示 展示
print printout printed printer drucken ausdruck 打印
send sent submit post deliver senden schicken verschicken versand 发送
receive get incoming arrive empfangen bekommen erhalten 接收 收到
read reading reader lesen einlesen 读取
write writing written schreiben 写入
load loading laden 加载
calculate computation compute calculated count computed berechnen berechnung 计算
recompute backfill recalculate rebuild reprocess neuberechnen 重算
estimate estimation forecast prediction schatzung prognose 预估 预测
measure measurement measured messung messen 测量
improve improvement optimise optimize optimization verbessern optimieren 优化
fail failed failure decline declined unsuccessful scheitern fehlschlagen fehlgeschlagen 失败
succeed success successful passed erfolg erfolgreich 成功
hang stuck freeze frozen stall block deadlock hangt blockiert 卡住
crash crashed crashes fatal absturz absturzen 崩溃
leak leaking leaked leck 泄漏
empty blank missing null leer fehlend 空
full complete whole entire voll vollstandig 全部 完整
fast quick rapid speed velocity geschwindigkeit tempo 快 速度
duration length time long dauer lange 时长 多久
interval frequency every period rate intervall frequenz 频率 间隔
daily nightly everyday taglich jeden 每天 每日
weekly week woche wochentlich 每周 周
monthly month monat monatlich 每月 月
yearly annual year jahr jahrlich 每年 年
quarter quarterly quartal 季度
morning morgens vormittag 早上 上午
afternoon nachmittag 下午
evening night abend nachts nacht 晚上 夜间
weekend saturday sunday wochenende samstag sonntag 周末
monday montag 周一
tuesday dienstag 周二
wednesday mittwoch 周三
thursday donnerstag 周四
friday freitag 周五
working workday business werktag arbeitstag 工作日
hours opening offnungszeiten sprechzeiten 时间
clock time uhr uhrzeit 时钟
daylight dst summertime sommerzeit zeitumstellung 夏令时
expire expired expiry expiration validity valid ablaufen gultigkeit 过期 有效期
renew renewal rotate rotation exchange erneuern 更换 续期
contact reach ask person ansprechpartner ansprechpartnerin kontakt erreichbar erreichen 联系 联系人
responsible owner owns charge maintainer zustandig verantwortlich 负责 负责人
deputy substitute standin replacement vertretung stellvertreter 代理
newcomer new onboarding joined junior neuling neu einarbeitung 新人 新同事 入职
expert senior experienced erfahren 专家
feedback opinion comments ruckmeldung meinung 反馈 意见
review reviewer approve approval freigabe absegnen 审核 审批 批准
announce announcement notify inform tell ankundigung ankundigen mitteilen 通知 公告
rule policy agreement guideline regel regelung vereinbarung 规则 约定
define definition meaning counts bedeutet definition 定义 口径
reason why cause grund ursache warum 原因
purpose goal aim ziel zweck 目标 目的
example sample beispiel 例子 示例
summary overview recap zusammenfassung uberblick 总结 概要
title heading caption headline titel uberschrift 标题
wording phrase words text formulation formulierung wortlaut 文案 措辞
spelling typo orthography rechtschreibung 拼写
symbol emoji icon glyph zeichen 图标 表情
chart graph diagram plot figure diagramm grafik 图表
drawing sketch draft zeichnung skizze 草图
table spreadsheet grid tabelle 表格
number figure digit count amount zahl nummer anzahl 数字 数量
percent percentage ratio share prozent anteil 百分比 比例
round rounding rounded runden rundung 四舍五入
unit units inch inches metric metre meter einheit einheiten 单位
weight mass heavy gewicht 重量
height width size dimension hohe breite grosse 尺寸 大小
temperature cold freezer heat freezing kalt temperatur kuhl 温度
color colour palette hue farbe farben 颜色
small tiny little klein 小
large big huge gross 大
cheap expensive price costs kosten teuer billig 便宜 贵
money cash amount geld betrag 金额 钱
cent cents minor penny 分
yen jpy japan japanese tokyo
euro eur euros
dollar usd dollars
pound gbp sterling
bank iban transfer wire banking uberweisung konto 银行 转账
card visa mastercard credit debit pan karte kreditkarte 卡 银行卡
charge debit bill billed collect abbuchen belasten 扣款
chargeback dispute reversal contested ruckbuchung 拒付
payout settlement disbursement auszahlung 结算 打款
merchant seller vendor shop handler verkaufer 商家 商户
buyer shopper purchaser kaufer 买家
cart basket warenkorb 购物车
checkout purchase kasse kauf 结账 下单
product article item goods artikel produkt ware 商品
return returns returned send back ruckgabe retoure 退货
fee fees commission surcharge gebuhr 手续费 费用
salary payroll wage gehalt lohn 工资
revenue turnover sales income umsatz 收入 营收 成交额
profit margin gewinn marge 利润
donation sponsor sponsorship spende 赞助
supplier provider vendor lieferant anbieter hersteller 供应商 服务商
parcel package courier tracking paket sendung 快递 包裹
address street city adresse strasse 地址
country region land 国家 地区
office building buro gebaude 办公室
factory plant fabrik werk 工厂
forklift truck vehicle car stapler fahrzeug wagen 车辆 叉车
drive driving wheel motor fahren antrieb 驾驶 驱动
lidar laser scanner laserscanner 激光雷达
camera lens depth image kamera 摄像头 相机
battery charge charging accu akku batterie ladestand laden 电池 充电
voltage power electricity current spannung strom 电压 电源
cable wiring harness wire kabel verdrahtung 线缆
emergency estop urgent notfall ernstfall notaus 紧急 急停
safety safe hazard sicherheit 安全
speed limit velocity tempolimit 限速
collision crash accident kollision unfall 碰撞
pallet rack shelf aisle palette regal gang 托盘 货架
wireless wifi wlan radio roaming 无线
signal link reception empfang 信号
bus can canbus fieldbus
board pcb circuit mainboard platine 电路板
bench rig testbench hil prufstand 测试台
spare part parts ersatzteil ersatzteile 备件
calibration calibrate kalibrierung kalibrieren 校准
map chart location position karte standort 位置
route routing path way journey trip strecke verbindung fahrt 路线
transfer interchange change umsteigen umstieg 换乘
departure arrival timetable schedule fahrplan abfahrt ankunft 时刻表 发车
delay late disruption verspatung storung 晚点 延误
tram train subway metro strassenbahn bahn zug 地铁 电车
bus coach autobus 公交
ticket fare tariff fahrkarte fahrschein tarif 车票 票价
passenger rider traveller fahrgast 乘客
pedestrian walk walking foot person people human fussganger gehen 行人 步行
border boundary edge grenze rand 边界
area zone region bereich gebiet 区域
therapy treatment behandlung therapie 治疗
medicine medication drug medikament medikation arznei 药品
diagnosis finding result befund diagnose 诊断
laboratory lab labor 化验
vaccination vaccine impfung impfen 疫苗
insurance versicherung krankenkasse 保险
nurse nursing pflege 护士
xray radiology mri ct mrt rontgen radiologie 放射
questionnaire survey form fragebogen anamnese umfrage 问卷
cancel cancellation cancelled storno stornieren absage absagen abbrechen 取消
waiting waitlist queue warteliste 排队 候补
reminder remind erinnerung erinnern 提醒
signature sign signed signing unterschrift signatur signieren 签名
scan barcode qr aztec scannen strichcode 扫码 二维码
weapon sword damage attack waffe schaden 武器 伤害
enemy opponent rival gegner 对手 敌人
quest mission task aufgabe 任务
match matchmaking lobby opponent 匹配
loot drop odds chance probability gacha wahrscheinlichkeit 概率 抽奖 掉落
skin cosmetic looks outfit aussehen 皮肤 外观
purse wallet wallets geldborse 钱包
sound audio music noise ton musik 声音 音频
voice dialogue speech actor sprache dialog 语音 配音
texture material shader graphics grafik 纹理 贴图
frame fps framerate millisecond bildrate 帧率 帧
render rendering draw redraw repaint recompose zeichnen 渲染
animation motion shake bewegung 动画
console playstation xbox switch konsole 主机
controller gamepad joystick steuerung 手柄
save savegame progress spielstand 存档
festival fair exhibition conference messe konferenz 展会 大会
talk presentation slides vortrag folien 演讲
certification certify cert submission zertifizierung 认证
publisher studio verlag 发行商
beta alpha preview pilot trial probe 试点 内测
playtest usability tester testers 试玩
cheat fraud abuse scam betrug 作弊 欺诈
moderation report filter profanity 审核
robotics automation automatisierung 自动化
machine mac host rechner maschine 机器
gpu cuda graphics grafikkarte 显卡
cpu processor prozessor 处理器
thread threads concurrency parallel concurrent nebenlaufig 并发 线程
async asynchronous await asynchron 异步
allocation allocate heap malloc garbage gc 分配
loop iteration schleife 循环
pointer reference unsafe zeiger 指针
parser parse parsing grammar 解析
regex regexp pattern ausdruck 正则
string text zeichenkette 字符串
integer int long number ganzzahl 整数
float double decimal floating gleitkomma 浮点
timestamp datetime time zeitstempel 时间戳
identifier id key kennung schlussel 编号 标识
hash digest checksum prufsumme 哈希
folder directory path ordner verzeichnis pfad 目录 路径
file files datei dateien 文件
symlink symlinks symbolic link verknupfung 软链接
bucket s3 objectstorage blob 对象存储
partition shard sharding 分区 分片
replica replication follower 副本
snapshot snapshots dump abbild 快照
stream streaming kafka event events 流
event events ereignis 事件
producer publisher emitter 生产者
consumer subscriber listener 消费者
idempotent idempotency exactlyonce deduplication 幂等 去重
batch bulk chunk stapel 批量 分批
pipeline dag workflow orchestration airflow dagster 流水线
notebook jupyter ipynb 
dataframe pandas polars csv
model ml prediction classifier scoring 模型
feature features signal merkmal 特征
label annotation labelling annotate 标注
embedding embeddings vector vectors vektor 向量
experiment abtest variant test versuch 实验
marketing campaign growth attribution werbung 营销
click clicks klick 点击
conversion funnel konversion 转化
churn retention abwanderung 流失
visit session visits besuch sitzung 访问 会话
active engaged aktiv 活跃
telemetry analytics tracking phonehome statistics 埋点 统计
consent optin permission einwilligung zustimmung 同意
personal pii sensitive private personenbezogen 个人信息
lawyer legal counsel anwalt 律师
authority agency office amt behorde 政府
audit inspection inspector kontrolle kontrolleur
blind disabled accessibility screenreader voiceover blind 盲人
screenreader voiceover talkback nvda 读屏
keyboard shortcut tastatur 键盘 快捷键
touch touchscreen tap tippen 触摸
watch smartwatch wearable uhr 手表
widget tile homescreen kachel 小组件
appstore store playstore apple google 应用商店
certificate provisioning signing 证书
simulator emulator simulation 模拟器
snapshot screenshot golden 截图
storyboard uikit swiftui
recompose recomposition compose
viewmodel livedata flow
bundle asset assets package paket 资源
minify size weight bloat grosse 体积
binary executable artifact programm 二进制
flag option argument parameter switch schalter 参数 选项
exit exitcode status return ruckgabewert 退出码
output stdout print ausgabe 输出
input stdin eingabe 输入
terminal shell console cli kommandozeile 终端 命令行
editor ide vscode vim 编辑器
languageserver lsp intellisense
plugin extension addon erweiterung 插件
wasm webassembly
crate dependency npm gem 依赖
maintainer contributor volunteer mitwirkender 贡献者
opensource oss foss 开源
changelog releasenotes whatsnew news anderungen 更新日志
semver breaking compatibility compatible kompatibel 兼容
toolchain compiler msrv 编译器
benchmark perf hyperfine measure 基准
startup boot launch start anlauf 启动
fuzz fuzzing fuzzer
mirror cdn edge fastly gateway 网关
loadtest stresstest peak load lasttest lastspitze spitze 压测 峰值 流量
scale scaling autoscale skalieren skalierung 扩容
instance node machine vm knoten 实例
region datacenter datacentre rechenzentrum hosting 机房
terraform iac infrastructure infrastruktur 基础设施
budget spend spending bill ausgaben 开销
warehouse snowflake bigquery redshift 数仓
lookerstudio looker tableau powerbi 报表
oauth sso okta login 单点登录
token jwt session 令牌
role roles rbac access rolle 角色
vault keepass 1password passwordmanager 密码库
hsm yubikey hardwarekey
attack attacker exploit angriff 攻击
forge forged fake tampered gefalscht 伪造
spam junk werbung 垃圾
rate ratelimit limit throttle 限流 次数
overload overloaded peak spike uberlast 过载
oversell oversold uberverkauf 超卖
flashsale seckill 秒杀
livestream streaming live 直播
member membership loyalty vip mitglied 会员
points bonus reward punkte 积分
sms shortmessage text 短信
verification code otp verifizierung 验证码
miniprogram wechat 小程序
customerservice support helpdesk hotline kundendienst 客服
chatbot assistant bot assistent 机器人
invoice billing einvoice erechnung rechnung 发票
counter sequence numbering nummernkreis 编号
gapless consecutive continuous luckenlos fortlaufend 连续
proration prorate prorated partial anteilig 按比例
subscription renewal recurring plan abo 订阅
dunning overdue unpaid mahnung 催款
latency delay milliseconds ms response antwortzeit 延迟 耗时
cutoff closing deadline annahmeschluss 截止
holiday closed feiertag geschlossen 节假日
maintenance window wartung wartungsfenster 维护
handover rotation ubergabe 交接
page paged pager alert alarm 告警
noise noisy spam 噪音
runbook playbook handbook anleitung handbuch 手册
procedure process steps ablauf vorgehen 流程 步骤
checklist todo steps checkliste 清单
milestone roadmap plan meilenstein 里程碑
estimate points days aufwand schatzung 工作量
`;

/** For each word, those that mean the same. */
export const SAME_MEANING: ReadonlyMap<string, readonly string[]> = groupsOf(GROUPS_TEXT);

function groupsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const groups = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const byWord = new Map<string, string[]>();
  for (const group of groups) {
    for (const word of group) {
      const others = group.filter((other) => other !== word);
      byWord.set(word, [...new Set([...(byWord.get(word) ?? []), ...others])]);
    }
  }
  return byWord;
}
