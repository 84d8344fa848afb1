// Small office files, written by hand: the parts that a reader looks at, and no more.
import { zipOf } from '../machine/zip.ts';

const parts = (files: Record<string, string>) =>
  zipOf(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));

const relationships = (list: [id: string, type: string, target: string, external?: boolean][]) =>
  `<Relationships>${list
    .map(
      ([id, type, target, external]) =>
        `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

const run = (text: string, properties = '') =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (inner: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${inner}</w:p>`;
const cell = (text: string, properties = '') =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(run(text))}</w:tc>`;

export const docx = (body = docxBody): Buffer =>
  parts({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    'word/styles.xml':
      '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="H2"><w:name w:val="заголовок 2"/><w:basedOn w:val="H1"/></w:style><w:style w:styleId="Code"><w:name w:val="HTML Preformatted"/></w:style></w:styles>',
    'word/header1.xml': `<w:hdr>${paragraph(run('ООО «Ромашка»'))}</w:hdr>`,
    'word/footer1.xml': `<w:ftr>${paragraph(run('Стр. 1'))}</w:ftr>`,
    'word/footnotes.xml': `<w:footnotes><w:footnote w:id="2">${paragraph(run('A note.'))}</w:footnote></w:footnotes>`,
    'word/_rels/document.xml.rels': relationships([
      ['r1', 'header', 'header1.xml'],
      ['r2', 'footer', 'footer1.xml'],
      ['r3', 'hyperlink', 'https://example.com/a', true],
    ]),
  });

const docxBody = [
  paragraph(run('Отчёт'), '<w:pStyle w:val="H1"/>'),
  paragraph(
    `${run('Продажи ')}${run('выросли', '<w:b/>')}${run(' на 5 %.')}<w:hyperlink r:id="r3">${run(' Подробнее')}</w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r>`,
  ),
  paragraph(run('первый'), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
  paragraph(run('вложенный'), '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
  `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('Город', '<w:vMerge w:val="restart"/>')}${cell('Сумма', '<w:gridSpan w:val="2"/>')}</w:tr>` +
    `<w:tr>${cell('', '<w:vMerge/>')}${cell('2024')}${cell('2025')}</w:tr><w:tr>${cell('Псков')}${cell('1 &lt; 2')}${cell('3')}</w:tr></w:tbl>`,
  paragraph('<w:r><w:br w:type="page"/></w:r>'),
  paragraph(`<w:r><w:lastRenderedPageBreak/></w:r>${run('Методика')}`, '<w:pStyle w:val="H2"/>'),
  paragraph(
    '<m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara>',
  ),
  paragraph(run('let a = 1;'), '<w:pStyle w:val="Code"/>'),
  paragraph(
    `${run('Deleted: ')}<w:del>${run('never')}</w:del>${run('shown in the text.')}<w:drawing><wp:inline><wp:docPr descr="График продаж"/></wp:inline></w:drawing>`,
  ),
].join('');

const shape = (kind: string, position: string, paragraphs: string) =>
  `<p:sp><p:nvSpPr><p:nvPr>${kind && `<p:ph type="${kind}"/>`}</p:nvPr></p:nvSpPr><p:spPr>${position}</p:spPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
const at = (x: number, y: number) =>
  `<a:xfrm><a:off x="${x * 12700}" y="${y * 12700}"/><a:ext cx="1270000" cy="127000"/></a:xfrm>`;
const line = (text: string, properties = '') => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;

export const pptx = (): Buffer =>
  parts({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId r:id="s2"/><p:sldId r:id="s1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships([
      ['s1', 'slide', 'slides/slide1.xml'],
      ['s2', 'slide', '/ppt/slides/slide2.xml'],
    ]),
    'ppt/slides/slide1.xml': `<p:sld><p:cSld><p:spTree>${shape('body', at(50, 200), line('Пункт') + line('Подпункт', '<a:pPr lvl="1"/>'))}${shape('title', '', line('План'))}${shape('sldNum', at(600, 500), line('2'))}</p:spTree></p:cSld></p:sld>`,
    'ppt/slides/slide2.xml': `<p:sld><p:cSld><p:spTree>${shape('', at(50, 300), line('The second box is read after the first.'))}${shape('', at(50, 100), line('The first box has a sentence.'))}<p:graphicFrame><p:xfrm><a:off x="0" y="6350000"/><a:ext cx="1" cy="1"/></p:xfrm><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc gridSpan="2"><a:txBody>${line('Head')}</a:txBody></a:tc><a:tc hMerge="1"/></a:tr><a:tr><a:tc><a:txBody>${line('1')}</a:txBody></a:tc><a:tc><a:txBody>${line('2')}</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
  });

export const xlsx = (): Buffer =>
  parts({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Лист 1" r:id="r1"/><sheet name="Empty" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships([
      ['r1', 'worksheet', 'worksheets/sheet1.xml'],
      ['r2', 'worksheet', 'worksheets/sheet2.xml'],
    ]),
    'xl/sharedStrings.xml': '<sst><si><t>Месяц</t></si><si><r><t>Сум</t></r><r><t>ма</t></r></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row r="1"><c r="B1" t="inlineStr"><is><t>Отчёт за год</t></is></c></row><row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c><c r="XFD3" t="str"><v>Доля</v></c></row><row r="4"><c r="B4" s="1"><v>45689</v></c><c r="C4"><v>0.30000000000000004</v></c><c r="XFD4" s="2"><v>0.5</v></c></row><row r="5"><c r="B5" t="str"><v>Всего</v></c></row></sheetData><mergeCells><mergeCell ref="B5:C5"/></mergeCells></worksheet>',
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
  });

const odf = (type: string, body: string, styles = '') =>
  parts({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    'META-INF/manifest.xml': '<manifest/>',
    'content.xml': `<office:document-content><office:automatic-styles><style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    'styles.xml': `<office:document-styles>${styles}</office:document-styles>`,
  });

export const odt = (): Buffer =>
  odf(
    'text',
    '<office:text><text:h text:outline-level="2">Раздел</text:h><text:p>Текст<text:s text:c="3"/>с <text:span text:style-name="B">жирным</text:span> словом.<text:soft-page-break/></text:p><text:list><text:list-item><text:p>один</text:p><text:list><text:list-item><text:p>два</text:p></text:list-item></text:list></text:list-item></text:list><table:table><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Шапка</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:text>',
    '<office:master-styles><style:master-page><style:header><text:p>Колонтитул</text:p></style:header></style:master-page></office:master-styles>',
  );

export const ods = (): Buffer =>
  odf(
    'spreadsheet',
    '<office:spreadsheet><table:table table:name="Лист"><table:table-row><table:table-cell><text:p>Имя</text:p></table:table-cell><table:table-cell><text:p>Возраст</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Анна</text:p></table:table-cell><table:table-cell><text:p>30</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>',
  );

export const odp = (): Buffer =>
  odf(
    'presentation',
    '<office:presentation><draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>Слайд</text:p></draw:text-box></draw:frame><draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>пункт</text:p></text:list-item></text:list></draw:text-box></draw:frame></draw:page></office:presentation>',
  );

export const epub = (): Buffer =>
  parts({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf':
      '<package><manifest><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/><item id="b" href="%D0%B4%D0%B2%D0%B0.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
    'OEBPS/one.xhtml': '<html><head><title/></head><body><h1>Глава 2</h1><p>Конец истории.</p></body></html>',
    'OEBPS/два.xhtml': '<html><body><h1>Глава 1</h1><p>Начало истории.</p></body></html>',
  });
