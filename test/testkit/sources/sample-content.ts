import { docx } from '../documents/office-files.ts';
import type { StandInFile } from './drive-a-server.ts';
import type { StandInResource } from './drive-b-server.ts';
import type { StandInPlace } from './portal-server.ts';
import { tinyPdf } from './tiny-pdf.ts';
import type { StandInPage } from './wiki-server.ts';

const manual = [
  'Pump NC-40: operating manual',
  'The pump NC-40 delivers 40 cubic metres per hour at 2.5 bar.',
  'Before the first start, fill the casing with water and open the valve V-12.',
  'Replace the bearing 6308 after 8,000 hours.',
];
const table =
  '<table><tr><th>Узел</th><th>Код</th></tr><tr><td>Насос</td><td>НЦ-40</td></tr><tr><td>Котёл</td><td>КВ-2</td></tr></table>';

const warning =
  '<div class="confluence-information-macro confluence-information-macro-warning"><p class="title">Внимание</p>' +
  '<div class="confluence-information-macro-body"><p>Не запускайте насос без воды.</p></div></div>';
const scheme =
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="120"><rect width="400" height="120" fill="#eef"/>' +
  '<circle cx="80" cy="60" r="40" fill="#36c"/><rect x="280" y="20" width="80" height="80" fill="#c63"/>' +
  '<path d="M120 60h160" stroke="#333" stroke-width="6"/></svg>';

/** Content for people who try the sources. */
export const samplePages: StandInPage[] = [
  {
    id: '101',
    title: 'Boiler house',
    html: '<p>The boiler house heats workshops 3 and 5. On duty: phone 17-42.</p>',
  },
  {
    id: '102',
    title: 'Насосная станция',
    parent: '101',
    html: `<p>Насос НЦ-40 подаёт воду из резервуара в котёл КВ-2. Давление на выходе 2,5 бар.</p>${warning}${table}<img src="/download/attachments/102/scheme.svg" alt="Схема: насос и котёл"><pre>station start --pump 1\n  --pressure 2.5</pre>`,
    attachments: [
      { id: 'att3', title: 'scheme.svg', type: 'image/svg+xml', content: Buffer.from(scheme) },
      { id: 'att1', title: 'Pump manual.pdf', type: 'application/pdf', content: tinyPdf(manual) },
      { id: 'att2', title: 'backup.zip', type: 'application/zip', content: Buffer.from('PK') },
    ],
  },
  {
    id: '103',
    title: 'Аварийная остановка',
    parent: '102',
    html: '<h2>Порядок</h2><ol><li>Закрыть задвижку В-12.</li><li>Отключить насос кнопкой «Стоп».</li><li>Позвонить дежурному: 17-42.</li></ol>',
  },
];

export const samplePlaces: StandInPlace[] = [
  {
    id: '2001',
    name: 'Operations',
    path: '/community/operations',
    contents: [
      {
        id: '1',
        number: '1001',
        type: 'document',
        subject: 'Holiday schedule',
        html: '<p>The station is closed from 1 to 8 January.</p>',
        attachments: [{ id: '11', name: 'Приказ.docx', type: 'application/msword', content: docx() }],
      },
    ],
    places: [
      {
        id: '2002',
        name: 'Насосы',
        path: '/community/operations/pumps',
        contents: [
          {
            id: '2',
            type: 'post',
            subject: 'Новый насос',
            html: '<p>Второй насос НЦ-40 введён 3 марта.</p>',
          },
        ],
      },
    ],
  },
];

export const sampleDriveA: StandInFile[] = [
  { id: 'folder-documents', name: 'Documents', type: 'folder' },
  {
    id: 'file-manual',
    name: 'Pump manual.pdf',
    type: 'application/pdf',
    parent: 'folder-documents',
    content: tinyPdf(manual),
  },
  {
    id: 'native-plan',
    name: 'Repair plan',
    type: 'document',
    parent: 'folder-documents',
    content: tinyPdf(['Repair plan', 'Workshop 5 is repaired in May.']),
  },
  { id: 'native-survey', name: 'Survey', type: 'form', parent: 'folder-documents' },
  { id: 'folder-archive', name: 'Архив', type: 'folder', parent: 'folder-documents' },
  {
    id: 'file-order',
    name: 'Приказ.txt',
    type: 'text/plain',
    parent: 'folder-archive',
    content: Buffer.from('Приказ № 5: смена начинается в 8:00.'),
  },
  {
    id: 'shortcut-back',
    name: 'Назад',
    type: 'shortcut',
    parent: 'folder-archive',
    target: 'folder-documents',
  },
];

export const sampleShare: StandInResource[] = [
  { path: '/', name: 'Отчёты' },
  { path: '/Итоги.txt', content: Buffer.from('За год станция отработала 8 640 часов без аварий.') },
  { path: '/2026' },
  { path: '/2026/План.docx', content: docx() },
  { path: '/закрыто', status: 403 },
];

export const samplePage = `<!doctype html><html lang="ru"><head><meta charset="utf-8"><title>Пуск котла</title></head><body>
<nav><ul><li><a href="/">Главная</a></li><li><a href="/news">Новости</a></li><li><a href="/contacts">Контакты</a></li></ul></nav>
<article><h1>Пуск котла</h1><p>Котёл КВ-2 пускают после проверки давления воды: оно должно быть не ниже 1,8 бар. Сначала
открывают задвижку В-12, затем включают насос НЦ-40 и ждут две минуты.</p><p>Если давление падает, пуск прекращают и
вызывают дежурного. Повторный пуск разрешён через десять минут после остановки.</p></article>
<footer>© Станция</footer></body></html>`;
