const code = (text: string) =>
  `<div class="code panel pdl"><div class="codeContent panelContent pdl"><pre>${text}</pre></div></div>`;
const merged = (a: string, b: string, c: string, d: string) =>
  `<table><thead><tr><th rowspan="2">${a}</th><th colspan="2">${b}</th></tr><tr><th>${c}</th><th>${d}</th></tr></thead>` +
  '<tbody><tr><td rowspan="2">NC</td><td>NC-40</td><td>2.5</td></tr><tr><td>NC-41</td><td>2.7</td></tr></tbody></table>';
const read = (a: string, b: string, c: string, d: string) =>
  `<table><tr><th rowspan="2">${a}</th><th colspan="2">${b}</th></tr><tr><th>${c}</th><th>${d}</th></tr>` +
  '<tr><td rowspan="2">NC</td><td>NC-40</td><td>2.5</td></tr><tr><td>NC-41</td><td>2.7</td></tr></table>';
const log = (heads: string[], text: string) =>
  `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${Array.from(
    { length: 45 },
    (_, at) => `<tr><td>${at + 1}</td><td>${text} ${at + 1}</td></tr>`,
  ).join('')}</table>`;

/** Pages of a wiki in two languages, and what a reader of documents should find in them. */
export const articles = [
  {
    language: 'English',
    title: 'Pump NC-40',
    html:
      '<p>The pump <strong>NC-40</strong> moves water from the <em>tank</em> into the boiler, as the <a href="/display/OPS/Docs">description</a> says. ' +
      'Check the valves and the level of the water before each start, or else the pump runs dry.</p>' +
      '<h2>First start</h2><ol><li>Open the valve V-12.</li><li>Check these:<ul><li>the level of the water</li>' +
      '<li>the pressure<ul><li>at the inlet</li><li>at the outlet</li></ul></li></ul></li><li>Press the button.</li></ol>' +
      `<h2>Data</h2>${merged('Unit', 'Values', 'Code', 'Pressure')}<h3>Commands</h3>` +
      `${code('def start(pump):\n    if pump.level &lt; 3:\n        raise Error()\n\nstart(one)')}` +
      `<h2>Log</h2>${log(['Day', 'Event'], 'The pump was inspected on day')}<p>The rest of the log is in the archive of the station.</p>`,
    expected: [
      'UncategorizedText -: Operations › Station › Pump NC-40',
      'Title 0: Pump NC-40',
      'NarrativeText -: The pump NC-40 moves water from the tank into the boiler, as the description says. Check the valves and the level of the water before each start, or else the pump runs dry.',
      'Title 1: First start',
      'ListItem 0: 1. Open the valve V-12.',
      'ListItem 0: 2. Check these:',
      'ListItem 1: the level of the water',
      'ListItem 1: the pressure',
      'ListItem 2: at the inlet',
      'ListItem 2: at the outlet',
      'ListItem 0: 3. Press the button.',
      'Title 2: Commands',
      'CodeSnippet -: def start(pump):\n    if pump.level < 3:\n        raise Error()\n\nstart(one)',
      'NarrativeText -: The rest of the log is in the archive of the station.',
    ],
    table: read('Unit', 'Values', 'Code', 'Pressure'),
    rows: 46,
  },
  {
    language: 'Russian',
    title: 'Насос НЦ-40',
    html:
      '<p>Насос <strong>НЦ-40</strong> подаёт воду из <em>резервуара</em> в котёл, как сказано <a href="/display/OPS/Docs">в описании</a>. ' +
      'Перед каждым пуском проверьте задвижки и уровень воды, иначе насос сработает всухую.</p>' +
      '<h2>Порядок пуска</h2><ol><li>Откройте задвижку В-12.</li><li>Проверьте:<ul><li>уровень воды</li>' +
      '<li>давление<ul><li>на входе</li><li>на выходе</li></ul></li></ul></li><li>Нажмите кнопку.</li></ol>' +
      `<h2>Данные</h2>${merged('Узел', 'Параметры', 'Код', 'Давление')}<h3>Команды</h3>` +
      `${code('def start(pump):\n    if pump.level &lt; 3:\n        raise Error("нет воды")\n\nstart(one)')}` +
      `<h2>Журнал</h2>${log(['День', 'Событие'], 'Плановый осмотр насоса, день')}<p>Остальные записи журнала лежат в архиве станции.</p>`,
    expected: [
      'UncategorizedText -: Operations › Station › Насос НЦ-40',
      'Title 0: Насос НЦ-40',
      'NarrativeText -: Насос НЦ-40 подаёт воду из резервуара в котёл, как сказано в описании. Перед каждым пуском проверьте задвижки и уровень воды, иначе насос сработает всухую.',
      'Title 1: Порядок пуска',
      'ListItem 0: 1. Откройте задвижку В-12.',
      'ListItem 0: 2. Проверьте:',
      'ListItem 1: уровень воды',
      'ListItem 1: давление',
      'ListItem 2: на входе',
      'ListItem 2: на выходе',
      'ListItem 0: 3. Нажмите кнопку.',
      'Title 2: Команды',
      'CodeSnippet -: def start(pump):\n    if pump.level < 3:\n        raise Error("нет воды")\n\nstart(one)',
      'NarrativeText -: Остальные записи журнала лежат в архиве станции.',
    ],
    table: read('Узел', 'Параметры', 'Код', 'Давление'),
    rows: 46,
  },
];
